import { type Fault, type FrozenSuite, type TestReport, type TestResult, testFault } from "@swarm/core";
import { failureText } from "@swarm/oracle";

const MOST_FAILURE_TEXT = 3_000;

/**
 * What stands against a step whose tests ended with `after`, or null.
 *
 * The last step of a plan (`before` is null) has to make every test pass. After an earlier one the suite cannot be green
 * yet, and which tests should be is known to nobody but the model that planned it. What a machine can hold such a step to is
 * that no test that passed `before` it fails now. So an early step may do too little; a later one then fails for it.
 *
 * The message is the condensed failure, so that a reviewer can work from it without another test run.
 */
export function stepFault(after: TestReport, suites: readonly FrozenSuite[], before: TestReport | null): Fault | null {
  const required = before ? passedIn(before) : suites.flatMap((suite) => suite.tests);
  const passed = new Set(passedIn(after));
  const missing = new Set(required.filter((id) => !passed.has(id)));
  const failed = after.tests.filter((test) => isBad(test) && (before === null || missing.has(test.id)));
  for (const test of failed) missing.delete(test.id);

  if (before && failed.length === 0 && missing.size === 0) return null;
  // A run that broke off as a whole explains by itself what is missing.
  const unseen = after.fault ? [] : [...missing].map(notPassed);
  const others = after.tests.filter((test) => !isBad(test) && !missing.has(test.id));
  const against: TestReport = { tests: [...failed, ...unseen, ...others], fault: after.fault };
  const fault = testFault(against);
  return fault && { ...fault, message: failureText(against, MOST_FAILURE_TEXT) };
}

function passedIn(report: TestReport): string[] {
  return report.tests.filter(({ status }) => status === "passed" || status === "xpassed").map((test) => test.id);
}

function isBad(test: TestResult): boolean {
  return test.status === "failed" || test.status === "error";
}

function notPassed(id: string): TestResult {
  const message = "has to pass, and was skipped or did not run";
  return { id, file: null, status: "failed", message, errorType: null, location: null };
}
