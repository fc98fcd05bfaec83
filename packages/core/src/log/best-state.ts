import type { RunEvent } from "../contracts/event.ts";
import type { SnapshotId } from "../contracts/files.ts";
import { TestReportSchema } from "../contracts/suite.ts";

export type BestState = { snapshot: SnapshotId; testsPassed: number; testsFailed: number };

/** The state whose tests went best, the latest of equals; null when no test ran. */
export function bestState(events: Iterable<RunEvent>): BestState | null {
  const testRuns = new Set<string>();
  let best: (BestState & { score: number }) | null = null;
  for (const { stepId, key, payload } of events) {
    if (payload.type === "begin" && payload.call.op === "test") testRuns.add(`${stepId} ${key}`);
    if (payload.type !== "end" || !testRuns.has(`${stepId} ${payload.of}`)) continue;
    const tests = TestReportSchema.safeParse(payload.value).data?.tests ?? [];
    const testsPassed = tests.filter((test) => test.status === "passed").length;
    const score = tests.length > 0 ? testsPassed / tests.length : 0;
    if (best && score < best.score) continue;
    best = { snapshot: payload.snapshot, testsPassed, testsFailed: tests.length - testsPassed, score };
  }
  if (!best) return null;
  const { score: _, ...state } = best;
  return state;
}
