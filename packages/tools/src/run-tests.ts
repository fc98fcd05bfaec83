import { headAndTail, type TestReport, type TestResult, type TestStatus, type Tool } from "@swarm/core";
import { z } from "zod";
import { answer } from "./tool-error.ts";

export type RunTestsInput = Record<string, never>;

const MOST_TOLD = 10;
const MOST_NAMED = 50;
const LONGEST_MESSAGE = 1_500;
/** As `pytest` has it: an `xpassed` test was expected to fail and did not, which its runner let pass. */
const FAILED: readonly TestStatus[] = ["failed", "error"];

export const runTests: Tool<RunTestsInput> = {
  name: "run_tests",
  description: [
    "Runs the task's tests on the files as they are now. Use it after each change: only these tests say whether the work is right.",
    `Returns how many tests passed and failed, then for each failure (at most ${MOST_TOLD}) its id, place, error and message. What the tests leave behind is thrown away.`,
  ].join(" "),
  input: z.strictObject({}),
  effect: "none",
  idempotent: true,
  call: (_, context) =>
    answer(async () => {
      const report = await context.test();
      const failures = report.tests.filter(({ status }) => FAILED.includes(status));
      const ok = report.fault === null && failures.length === 0 && report.tests.length > 0;
      const { loaded } = report;
      return { ok, output: tell(report, failures), ...(loaded ? { loaded } : {}) };
    }),
};

function tell({ tests, fault }: TestReport, failures: readonly TestResult[]): string {
  const told = failures.slice(0, MOST_TOLD).map(tellFailure);
  const named = failures.slice(MOST_TOLD, MOST_TOLD + MOST_NAMED).map(({ id }) => id);
  const unnamed = failures.length - told.length - named.length;
  return [
    countsOf(tests),
    ...(fault
      ? [`The run as a whole does not count: ${fault.code}: ${headAndTail(fault.message, LONGEST_MESSAGE)}`]
      : []),
    ...told,
    ...(named.length > 0 ? [`Failed too:\n${named.join("\n")}`] : []),
    ...(unnamed > 0 ? [`and ${unnamed} more`] : []),
  ].join("\n\n");
}

function countsOf(tests: readonly TestResult[]): string {
  if (tests.length === 0) return "No test ran.";
  const counts = Map.groupBy(tests, ({ status }) => status);
  const told = [...counts].sort().map(([status, some]) => `${some.length} ${status}`);
  return `${tests.length} tests: ${told.join(", ")}.`;
}

function tellFailure({ id, status, errorType, location, message }: TestResult): string {
  const head = [status.toUpperCase(), id, location && `at ${location}`, errorType].filter(Boolean).join(" ");
  return message === null ? head : `${head}\n${headAndTail(message, LONGEST_MESSAGE)}`;
}
