import { type Fault, faultOf } from "./contracts/fault.ts";
import type { TestReport } from "./contracts/suite.ts";

/**
 * The fault of a test report: that of its first failing test, else that of the run as a whole; null when all is well. A run that
 * broke off may have failed before, and how far it came is chance, so the test says more. A failure of the machinery goes first.
 */
export function testFault(report: TestReport): Fault | null {
  const failing = report.tests.filter((test) => test.status === "failed" || test.status === "error");
  const first = failing[0];
  if (report.fault && (!first || report.fault.infrastructure)) return { ...report.fault, retryable: true };
  if (!first) return null;
  const { errorType, location } = first;
  const more = failing.length > 1 ? ` (and ${failing.length - 1} more)` : "";
  const whole = report.fault ? `; ${report.fault.message}` : "";
  const message = `${first.id}: ${first.message ?? "failed"}${more}${whole}`;
  return faultOf({ code: "TEST_FAILED", message, errorType, location, test: first.id, retryable: true });
}
