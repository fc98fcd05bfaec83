import type { TestReport } from "./contracts/suite.ts";

/** `skipped` are the tests that said nothing: skipped ones, and failures that were expected. */
export type TestCounts = { passed: number; failed: number; skipped: number };

/** The one way to count tests. What passed though it was expected to fail has passed; an error has failed. */
export function countTests({ tests }: Pick<TestReport, "tests">): TestCounts {
  const counts: TestCounts = { passed: 0, failed: 0, skipped: 0 };
  for (const { status } of tests) {
    if (status === "passed" || status === "xpassed") counts.passed++;
    else if (status === "failed" || status === "error") counts.failed++;
    else counts.skipped++;
  }
  return counts;
}
