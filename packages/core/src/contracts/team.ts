import { z } from "zod";
import type { Budget } from "./budget.ts";
import type { SnapshotId } from "./files.ts";
import type { Json, JsonObject, Schema } from "./json.ts";
import type { Memory } from "./memory.ts";
import type { Effort, LLMClient } from "./model.ts";
import type { Oracle } from "./oracle.ts";
import type { FilesView, StepProgram } from "./program.ts";
import type { Sandbox } from "./sandbox.ts";
import { type StepResult, type TeamRef, type Variant, VariantSchema } from "./step.ts";
import type { Admission, FrozenSuite, Suite, TestRunner } from "./suite.ts";
import type { TaskView } from "./task.ts";
import type { Tool } from "./tool.ts";
import type { Verdict } from "./verdict.ts";

/** Who acts: a model with its limits, and the only tools that it may call. */
export interface Role {
  /** The default model, then its fallbacks in order. */
  readonly models: readonly [LLMClient, ...LLMClient[]];
  readonly effort?: Effort;
  readonly temperature?: number;
  /** Output tokens of one call. Default 8192. */
  readonly maxTokens?: number;
  readonly system: string;
  // biome-ignore lint/suspicious/noExplicitAny: a role holds tools of different inputs; each checks its own
  readonly tools: readonly Tool<any>[];
  /** What the role can ask of earlier runs, and the most recollections of one answer (default 3). Default: nothing. */
  readonly memory?: { readonly store: Memory; readonly topK?: number };
  /** Path globs of the only files that the role's tools may change; one that begins with `!` excludes. Default: all. */
  readonly writes?: readonly string[];
  /** What all calls of the role may spend in a run, beside the run's own limits. `wallMs` is the run's alone. */
  readonly limits?: Partial<Omit<Budget, "wallMs">>;
}

export type StepOptions = {
  /** Attempts after the first. Default 0. */
  maxRetries?: number;
  /** Wall time of one attempt in milliseconds. Default 20 minutes. */
  timeoutMs?: number;
  variant?: Variant;
};

export const StepOptionsSchema: Schema<StepOptions> = z.strictObject({
  maxRetries: z.int().nonnegative().exactOptional(),
  timeoutMs: z.number().positive().exactOptional(),
  variant: VariantSchema.exactOptional(),
});

/**
 * What a workflow may use. A workflow is a function of its task and of what this gives, so that it can be run again over
 * its log. One call at a time; concurrency only by `all` and `race`.
 */
export interface RunContext {
  readonly task: TaskView;
  /** The workspace after the last step that succeeded. */
  readonly snapshot: SnapshotId;
  readonly files: FilesView;
  readonly suites: readonly FrozenSuite[];
  step<I extends Json, O extends Json>(
    program: StepProgram<I, O>,
    input: I,
    options?: StepOptions,
  ): Promise<StepResult<O>>;
  /** A fork of the workspace for each variant; the first success wins and the others are aborted. Replay obeys the log. */
  race<I extends Json, O extends Json>(
    program: StepProgram<I, O>,
    input: I,
    variants: readonly Variant[],
    options?: Omit<StepOptions, "variant">,
  ): Promise<StepResult<O>>;
  /** A fork of the workspace for each branch, joined by a merge; rejects with a {@link MergeConflictError}. */
  all<R extends Json>(branches: Record<string, (run: RunContext) => Promise<R>>): Promise<Record<string, R>>;
  /** Asks the oracle whether a suite may count, and no more: a program can try it out before it is frozen. */
  admit(suite: Suite): Promise<Admission>;
  /** Asks the oracle to admit a suite, unless it has been. One that was admitted is in every step from here on. */
  freeze(suite: Suite | FrozenSuite): Promise<Admission>;
  /** The oracle's judgement of the workspace as it is, by some suites. */
  check(suites: readonly string[]): Promise<Verdict>;
  /** What is worth knowing later. A `report` in it is the trajectory's where the run ends before its workflow does. */
  note(agent: string, note: JsonObject): Promise<void>;
}

/** A team is complete by itself: roles, programs, a workflow, and defaults for every port. */
export interface Team extends Readonly<TeamRef> {
  readonly specificationVersion: "v1";
  readonly roles: Readonly<Record<string, Role>>;
  // biome-ignore lint/suspicious/noExplicitAny: a team holds programs of different inputs; each checks its own
  readonly programs: readonly StepProgram<any, any>[];
  /** Deterministic. What it returns is the trajectory's `report`. */
  workflow(run: RunContext): Promise<Json>;
  /** Made only when they are needed: a worker never makes an oracle. */
  readonly defaults: { sandbox(): Sandbox; tests(): TestRunner; oracle(): Oracle };
}
