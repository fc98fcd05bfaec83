import type { LogHeader, RunEvent } from "../contracts/event.ts";
import { faultOf } from "../contracts/fault.ts";
import type { SnapshotId } from "../contracts/files.ts";
import type { Snapshots } from "../contracts/sandbox.ts";
import type { Trajectory } from "../contracts/trajectory.ts";
import { unverified, type Verdict } from "../contracts/verdict.ts";
import { bestState } from "../log/best-state.ts";
import { isInEarlierBranch } from "../log/branches.ts";
import { Ledger } from "../log/ledger.ts";
import { writeLine } from "../log/log-line.ts";
import { isDecided, ownEvents } from "../log/past.ts";
import { isOfLoser, type RaceEnd, winnersOf } from "../log/races.ts";
import { reportIn } from "../log/report-in.ts";
import { signatureOf } from "../log/signature.ts";

/** The `event` of the note that tells what became of the run's directory. */
export const WORKSPACE_NOTE = "workspace";

type Source = { header: LogHeader; events: readonly RunEvent[]; snapshots: Snapshots; location: string | null };

/** What a log tells of its run, whether it has just ended or is read years later. */
export function trajectoryOf({ header, events, snapshots, location }: Source): Trajectory {
  const verdict = verdictOf(events) ?? unverified("aborted", "the log ends without a verdict");
  const ledger = new Ledger(header.prices);
  for (const event of ownEvents({ header, events })) ledger.apply(event);
  const state = stateOf(header, events, verdict);

  return {
    taskId: header.task.id,
    runId: header.runId,
    header,
    events,
    verdict,
    failureSignature: verdict.passed ? null : signatureIn(events, verdict),
    usage: ledger.usage(),
    report: reportIn(events),
    state,
    workspace: workspaceIn(header, events),
    location,
    toJsonl: () => [header, ...events].map((line) => `${writeLine(line)}\n`).join(""),
    patch: () => snapshots.patch(header.base, state.snapshot),
    async files() {
      const { snapshot } = await snapshots.delivered(header.base, state.snapshot);
      return await snapshots.files(snapshot);
    },
    step(stepId) {
      const own = events.filter((event) => event.stepId === stepId);
      if (own.length === 0) return null;
      const result = events.findLast(
        ({ payload }) => payload.type === "result" && payload.result.stepId === stepId,
      )?.payload;
      return { events: own, result: result?.type === "result" ? result.result : null };
    },
  };
}

function verdictOf(events: readonly RunEvent[]): Verdict | null {
  const verdicts = events.filter(({ payload }) => payload.type === "verdict");
  const payload = (verdicts.find(({ key }) => key !== null) ?? verdicts.at(-1))?.payload; // the oracle's stands
  return payload?.type === "verdict" ? payload.verdict : null;
}

function workspaceIn({ workspace }: LogHeader, events: readonly RunEvent[]): Trajectory["workspace"] {
  if (workspace === undefined) return null;
  const notes = events.flatMap(({ payload }) =>
    payload.type === "note" && payload.note["event"] === WORKSPACE_NOTE ? [payload.note] : [],
  );
  const { written = false, problem = null } = (notes.at(-1) ?? {}) as Partial<NonNullable<Trajectory["workspace"]>>;
  return { written, problem };
}

/**
 * The last failure's, of branches side by side that of the last one by name; of a run whose steps all succeeded and whose oracle said no, the oracle's. What once ended a run early that
 * then went on to its verdict is none of its failures.
 */
function signatureIn(events: readonly RunEvent[], { outcome, reasons }: Verdict): string {
  const winners = winnersOf(events);
  const decided = isDecided(events);
  const counts = (event: RunEvent) => (event.key !== null || !decided) && !isOfLoser(event, winners);
  let last: { stepId: string; signature: string } | null = null;
  for (const event of events) {
    const { stepId, payload } = event;
    if (payload.type !== "fault" || !counts(event) || (last && isInEarlierBranch(stepId, last.stepId))) continue;
    last = { stepId, signature: payload.signature };
  }
  if (last) return last.signature;
  return signatureOf(faultOf({ code: outcome, message: "", test: reasons[0] ?? null }), "oracle");
}

/** The state that was judged; where that did not pass, the best that the run's own tests saw. */
function stateOf({ base }: LogHeader, events: readonly RunEvent[], verdict: Verdict): Trajectory["state"] {
  if (verdict.passed) return { snapshot: finalSnapshot(events) ?? base, label: "final" };
  const best = bestState(events);
  if (best) return { snapshot: best.snapshot, label: "best" };
  return { snapshot: finalSnapshot(events) ?? base, label: "untested" };
}

/** Where the root lane stood last: after a call of the engine, a step or race that succeeded, or branches that were joined. */
function finalSnapshot(events: readonly RunEvent[]): SnapshotId | null {
  const results = new Map<string, SnapshotId>();
  const snapshots = events.flatMap(({ stepId, payload }): (SnapshotId | undefined)[] => {
    if (payload.type === "result" && payload.result.ok) results.set(stepId, payload.result.snapshot);
    if (stepId !== "run") return [];
    if (payload.type === "end") return [payload.snapshot];
    if (payload.type === "result") return [results.get(stepId)];
    if (payload.type !== "recovered") return [];
    if (payload.how === "merged") return [(payload.detail as { snapshot: SnapshotId }).snapshot];
    if (payload.how !== "winner") return [];
    const { race, winner } = payload.detail as RaceEnd;
    return [results.get(`${race}/${winner}`)];
  });
  return snapshots.findLast((snapshot) => snapshot !== undefined) ?? null;
}
