import { mask, type TestReport, type TestResult } from "@swarm/core";

/** Failures of one kind: the first of them, and the others. */
export type FailureGroup = { first: TestResult; others: TestResult[] };

/**
 * The failing tests of a report, those together that failed in the same way. What could not be loaded or built comes first,
 * since it explains what is missing. Within that the order of the report is kept.
 */
export function failureGroups({ tests, fault }: TestReport): FailureGroup[] {
  const failing = tests.filter(({ status }) => status === "failed" || status === "error");
  const explained = failing.filter(({ id }) => id === fault?.test);
  const ordered = [...explained, ...failing.filter((test) => !explained.includes(test))];
  return [...Map.groupBy(ordered, failureKind).values()].flatMap(([first, ...others]) =>
    first ? [{ first, others }] : [],
  );
}

/**
 * The normal form of a failure, equal for the same failure on every run: its error type and where it happened, and where that is
 * not known, what was said, with core's masks over it. The failure signature is made of the same parts with the same masks.
 */
export function failureKind({ errorType, location, message }: TestResult): string {
  return JSON.stringify([errorType, location ?? mask(message ?? "")]);
}
