import type { RunEvent } from "../contracts/event.ts";
import type { SnapshotId } from "../contracts/files.ts";
import { TestReportSchema } from "../contracts/suite.ts";
import { countTests, type TestCounts } from "../count-tests.ts";
import { isInEarlierBranch } from "./branches.ts";
import { isOfLoser, winnersOf } from "./races.ts";

export type BestState = { snapshot: SnapshotId; testsPassed: number; testsFailed: number };

/**
 * The state whose tests went best, the latest of equals, of branches side by side that of the last one by name; null when no test
 * ran. A run that cannot be believed counts less than any that can, then the number of tests that passed counts, then that of
 * those that failed. Branches that lost a race do not count: how far they came is a matter of timing.
 */
export function bestState(events: Iterable<RunEvent>): BestState | null {
  const all = [...events];
  const winners = winnersOf(all);
  const testRuns = new Set<string>();
  let best: { stepId: string; snapshot: SnapshotId; counts: TestCounts; believed: boolean } | null = null;
  for (const event of all) {
    const { stepId, key, payload } = event;
    if (isOfLoser(event, winners)) continue;
    if (payload.type === "begin" && payload.call.op === "test") testRuns.add(`${stepId} ${key}`);
    if (payload.type !== "end" || key === null || !testRuns.has(`${stepId} ${payload.of}`)) continue;
    const report = TestReportSchema.safeParse(payload.value).data;
    if (!report || report.tests.length === 0) continue;
    const state = { stepId, snapshot: payload.snapshot, counts: countTests(report), believed: report.fault === null };
    const better = best === null ? 1 : compare(state, best);
    if (better > 0 || (better === 0 && best !== null && !isInEarlierBranch(stepId, best.stepId))) best = state;
  }
  return best && { snapshot: best.snapshot, testsPassed: best.counts.passed, testsFailed: best.counts.failed };
}

type Ranked = { counts: TestCounts; believed: boolean };

function compare(a: Ranked, b: Ranked): number {
  if (a.believed !== b.believed) return a.believed ? 1 : -1;
  return a.counts.passed - b.counts.passed || b.counts.failed - a.counts.failed;
}
