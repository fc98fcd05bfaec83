import { type Fault, faultOf } from "./contracts/fault.ts";
import type { TestReport } from "./contracts/suite.ts";

/** The fault of a test report: that of the run as a whole, else of its first failing test; null when all is well. */
export function testFault(report: TestReport): Fault | null {
  if (report.fault) return { ...report.fault, retryable: true };
  const failing = report.tests.filter((test) => test.status === "failed" || test.status === "error");
  const first = failing[0];
  if (!first) return null;
  const { errorType, location } = first;
  const more = failing.length > 1 ? ` (and ${failing.length - 1} more)` : "";
  const message = `${first.id}: ${first.message ?? "failed"}${more}`;
  return faultOf({ code: "TEST_FAILED", message, errorType, location, test: first.id, retryable: true });
}
