import type { TestReport } from "@swarm/core";

/**
 * The tests that must pass, from a run on the starter: all that it reported, whether they pass there or not, except those
 * that its author marked to be skipped or to fail, and helpers that only look like a test because nothing provides their
 * arguments. Empty when that run cannot be believed, since tests may be missing from it.
 */
export function manifestOf(baseline: TestReport): string[] {
  if (baseline.fault) return [];
  const required = baseline.tests.filter(
    ({ status, errorType }) =>
      status === "passed" || status === "failed" || (status === "error" && errorType !== "FixtureLookupError"),
  );
  return [...new Set(required.map(({ id }) => id))].sort();
}
