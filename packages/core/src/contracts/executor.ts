import type { Guard } from "../guard/guard.ts";
import type { Redact } from "../redact.ts";
import type { Call, Effect, EventDraft, RunEvent } from "./event.ts";
import type { Fault } from "./fault.ts";
import type { Json } from "./json.ts";
import type { Tokens } from "./model.ts";
import type { Sandbox } from "./sandbox.ts";
import type { Step, StepResult, TeamRef } from "./step.ts";
import type { TestRunner } from "./suite.ts";
import type { Team } from "./team.ts";

/** What a process performs attempts with. */
export interface Site {
  readonly team: Team;
  readonly sandbox: Sandbox;
  readonly tests: TestRunner;
  readonly guard: Guard;
  /** Takes secrets out of all that enters the log and the prompts. */
  readonly redact: Redact;
  /** Only in a replay: the recorded outcome of a call that is not made again, since it is a model's or a fact from outside. */
  replay?(stepId: string, call: { call: Call; effect: Effect; begin: string; end: string }): ReplayedCall | null;
}

export type ReplayedCall = { value: Json; fault: Fault | null; tokens?: Tokens };

/** The engine's side of a step: JSON in and out, so that a channel to another process can stand in for it. */
export interface StepHost {
  readonly signal: AbortSignal;
  /** Values that enter neither log nor prompt: whoever performs takes them out, so that a program sees what the log holds. */
  readonly secrets: readonly string[];
  /** Takes hold of a step. From now on every earlier holder is fenced. `recorded` is what the log holds of the step. */
  claim(stepId: string): Promise<{ epoch: number; recorded: RunEvent[] }>;
  /**
   * Resolves when the events are acknowledged: all, in order, or none. One that the log has already is compared with it,
   * not written again. Rejects with a {@link RefusedError}: `FENCED`, `DIVERGED`, and for a begin also `BUDGET` and `ABORTED`.
   */
  append(epoch: number, events: EventDraft[]): Promise<void>;
  /** What this process performs attempts with. Never sent to another. */
  site(): Promise<Site>;
}

/**
 * The one seam where it is decided where a step runs. An executor combines `perform` and `recover`, or puts its own
 * recovery in place of `recover`. It must deliver an attempt again when the worker that held it is lost.
 */
export interface Executor {
  readonly specificationVersion: "v1";
  /** Throws when steps of this team cannot run here. Called once, before the run begins. */
  preflight?(team: TeamRef, options: { signal: AbortSignal }): Promise<void>;
  runStep(step: Step, host: StepHost): Promise<StepResult>;
}
