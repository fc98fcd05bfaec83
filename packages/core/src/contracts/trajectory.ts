import type { LogHeader, RunEvent } from "./event.ts";
import type { Files, SnapshotId } from "./files.ts";
import type { Json } from "./json.ts";
import type { Tokens } from "./model.ts";
import type { StepResult } from "./step.ts";
import type { Verdict } from "./verdict.ts";

/** Sums over the log. `usd` is null when a model that was called has no price. */
export type Usage = Tokens & { modelCalls: number; toolCalls: number; usd: number | null };

/** The finished run: its log, and what follows from it. */
export interface Trajectory {
  readonly taskId: string;
  readonly runId: string;
  readonly header: LogHeader;
  readonly events: readonly RunEvent[];
  readonly verdict: Verdict;
  /** Of the last failure when the run did not pass: the same for the same failure on every run. */
  readonly failureSignature: string | null;
  readonly usage: Usage;
  /** What the team's workflow returned; null when it did not end. */
  readonly report: Json;
  /**
   * The state that is handed back: the final one of a run that passed, otherwise the best that its tests saw, or where no test
   * ran (`untested`) the files as they were left.
   */
  readonly state: { snapshot: SnapshotId; label: "final" | "best" | "untested" };
  /**
   * What became of the directory that the run works for; null without one. Only what passed is written to it. `problem` says why
   * that could not be: then it is as it was.
   */
  readonly workspace: { written: boolean; problem: string | null } | null;
  /** Where the log is; null when it was kept in memory. */
  readonly location: string | null;
  toJsonl(): string;
  /** What `git apply` needs to turn the starter into {@link state}, as bytes. Visible tests are part of both. */
  patch(): Promise<Uint8Array>;
  files(): Promise<Files>;
  /** A step's result with its events, or null when the run never reached that step. */
  step(stepId: string): { result: StepResult | null; events: RunEvent[] } | null;
}
