import type { FrozenSuite, TestReport, TestResult } from "@swarm/core";

/** One suite's report against the tests that it must hold. */
export type Judgement = {
  passed: boolean;
  /** For a person: why it did not pass. */
  reasons: string[];
  /** What is worth knowing and decides nothing. */
  remarks: string[];
  testsPassed: number;
  testsFailed: number;
};

/** Tests that are named one by one in the reasons; more are counted. */
const NAMED = 20;

/**
 * Fails closed: each required test has to be reported exactly once, as passed. A suite whose required tests are not known
 * passes when it reported some tests and every one of them passed. A test that passed although it was expected to fail
 * passed. An error, skip or expected failure of a test that is not required decides nothing; a failure does.
 */
export function judge(suite: FrozenSuite, report: TestReport): Judgement {
  const byId = Map.groupBy(report.tests, ({ id }) => id);
  const required = new Set(suite.tests);
  const manifest = required.size > 0;
  const problems: string[] = [];
  const remarks: string[] = [];

  for (const id of manifest ? required : byId.keys()) {
    const problem = problemOf(byId.get(id) ?? []);
    if (problem) problems.push(`${id} ${problem}`);
  }
  for (const test of report.tests) {
    if (test.status === "passed" && test.message !== null) remarks.push(`${test.id} passed: ${test.message}`);
    if (test.status === "xpassed") remarks.push(`${test.id} passed, though it was expected to fail`);
    if (!manifest || required.has(test.id)) continue;
    if (test.status === "failed") problems.push(`${test.id} ${described(test)}`);
    if (test.status === "error") remarks.push(`${test.id}, which is not required, ${described(test)}`);
  }

  const testsPassed = [...byId.values()].filter((results) => problemOf(results) === null).length;
  const reasons = problems.slice(0, NAMED);
  if (problems.length > NAMED) reasons.push(`${problems.length - NAMED} more tests did not pass`);
  if (report.fault) reasons.unshift(`${report.fault.message} (${report.fault.code})`);
  else if (testsPassed === 0 && problems.length === 0) reasons.push("no test ran");
  return {
    passed: reasons.length === 0,
    reasons: reasons.map((reason) => `${suite.id}: ${reason}`),
    remarks: remarks.map((remark) => `${suite.id}: ${remark}`),
    testsPassed,
    testsFailed: problems.length,
  };
}

/** Why the results of one id are not one passed test; null when they are. */
function problemOf(results: readonly TestResult[]): string | null {
  const [result, second] = results;
  if (!result) return "was not reported";
  if (second) return `was reported ${results.length} times`;
  return result.status === "passed" || result.status === "xpassed" ? null : described(result);
}

const NOT_PASSED: Record<TestResult["status"], string> = {
  passed: "passed",
  failed: "failed",
  error: "ended with an error",
  skipped: "was skipped, which is not passed",
  xfailed: "failed as expected, which is not passed",
  xpassed: "passed, though it was expected to fail",
};

function described({ status, errorType, location }: TestResult): string {
  const where = [errorType, location && `at ${location}`].filter(Boolean).join(" ");
  return where === "" ? NOT_PASSED[status] : `${NOT_PASSED[status]} (${where})`;
}
