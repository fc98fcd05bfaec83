import { ownEvents, type Parent, type Trajectory, type Verdict } from "@swarm/core";
import { attemptOf } from "./open-calls.ts";

/** A run's result as JSON: what `--json` prints and `verdict.json` holds. */
export type Summary = Pick<
  Trajectory,
  "runId" | "taskId" | "usage" | "failureSignature" | "report" | "state" | "workspace"
> &
  Verdict & {
    /** The run that this one was forked from, and where. */
    parent: Pick<Parent, "runId" | "at"> | null;
    /** Isolation that the run had. */
    tier: string;
    elapsedMs: number;
    /** Attempts that were made again after a failure. */
    repairs: number;
    /** Path of the log; null when it was kept in memory. */
    log: string | null;
  };

export function summaryOf(trajectory: Trajectory): Summary {
  const { runId, taskId, verdict, usage, failureSignature, state, workspace, report, header, location } = trajectory;
  return {
    runId,
    taskId,
    ...verdict,
    usage,
    failureSignature,
    state,
    workspace,
    report,
    parent: header.parent && { runId: header.parent.runId, at: header.parent.at },
    tier: header.tier,
    elapsedMs: elapsedOf(trajectory),
    repairs: repairsOf(trajectory),
    log: location,
  };
}

function elapsedOf({ events }: Trajectory): number {
  const elapsed = events.at(-1)?.payload.measured?.["elapsedMs"];
  return typeof elapsed === "number" ? Math.round(elapsed) : 0;
}

function repairsOf(trajectory: Trajectory): number {
  return ownEvents(trajectory).filter(({ payload, key }) => payload.type === "attempt" && attemptOf(key) > 0).length;
}
