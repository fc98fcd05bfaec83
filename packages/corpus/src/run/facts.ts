import {
  type Call,
  type CostTotal,
  costReport,
  type ModelId,
  type Outcome,
  type RunEvent,
  type Trajectory,
  type Usage,
} from "@swarm/core";
import { modelsOf } from "./models-of.ts";
import { endedAt, startedAt } from "./times.ts";

/** How a run ended; `unfinished` is one whose log has no verdict: under way, or cut off. */
export type RunOutcome = Outcome | "unfinished";

/** What is known of a run at a glance. */
export type RunFacts = {
  runId: string;
  taskId: string;
  team: string;
  teamVersion: string;
  tier: string;
  models: ModelId[];
  outcome: RunOutcome;
  passed: boolean;
  signature: string | null;
  startedAt: string | null;
  endedAt: string | null;
  usage: Usage;
  /** Attempts after the first of a step. */
  repairs: number;
  /** The step that a run which did not pass ended in; between steps the program `workflow`, and after the last `oracle`. */
  diedIn: { program: string; stepId: string } | null;
  /** Signatures of every failure on the way, with the program that failed. */
  failures: { program: string; signature: string }[];
  byRole: Record<string, CostTotal>;
};

export function factsOf(run: Trajectory): RunFacts {
  const { header, events, verdict } = run;
  const decided = events.some(({ payload }) => payload.type === "verdict");
  return {
    runId: run.runId,
    taskId: run.taskId,
    team: header.team.name,
    teamVersion: header.team.version,
    tier: header.tier,
    models: modelsOf(events),
    outcome: decided ? verdict.outcome : "unfinished",
    passed: decided && verdict.passed,
    signature: decided ? run.failureSignature : null,
    startedAt: startedAt(run),
    endedAt: endedAt(run),
    usage: run.usage,
    repairs: events.filter(({ key, payload }) => payload.type === "attempt" && !key?.startsWith("0.")).length,
    diedIn: verdict.passed ? null : lastStep(events),
    failures: failuresIn(events),
    byRole: costReport({ header, events }).byRole,
  };
}

/** The step that never ended, or else the last that failed. */
function lastStep(events: readonly RunEvent[]): RunFacts["diedIn"] {
  const open = new Map<string, string>();
  const programs = new Map<string, string>();
  let failed: RunFacts["diedIn"] = null;
  for (const { payload } of events) {
    if (payload.type === "step") {
      open.set(payload.step.stepId, payload.step.program);
      programs.set(payload.step.stepId, payload.step.program);
    }
    if (payload.type !== "result") continue;
    const { stepId, ok } = payload.result;
    open.delete(stepId);
    failed = ok ? null : { program: programs.get(stepId) ?? "", stepId };
  }
  const [left] = [...open].slice(-1);
  if (left) return { program: left[1], stepId: left[0] };
  if (failed) return failed;
  const judged = events.some(({ payload }) => payload.type === "begin" && isVerify(payload.call));
  return { program: judged ? "oracle" : "workflow", stepId: "run" };
}

function isVerify(call: Call): boolean {
  return call.op === "other" && call.name === "verify";
}

function failuresIn(events: readonly RunEvent[]): RunFacts["failures"] {
  const programs = new Map<string, string>();
  return events.flatMap(({ stepId, payload }): RunFacts["failures"] => {
    if (payload.type === "step") programs.set(payload.step.stepId, payload.step.program);
    return payload.type === "fault" ? [{ program: programs.get(stepId) ?? "", signature: payload.signature }] : [];
  });
}
