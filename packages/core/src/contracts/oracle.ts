import type { SnapshotId } from "./files.ts";
import type { Sandbox } from "./sandbox.ts";
import type { Admission, FrozenSuite, Suite } from "./suite.ts";
import type { Task } from "./task.ts";
import type { Verdict } from "./verdict.ts";

export type OracleContext = { sandbox: Sandbox; signal: AbortSignal };
/** `check` runs the named suites only; `full` adds the held-out tests and every check of the oracle. */
export type VerifyInput = {
  task: Task;
  base: SnapshotId;
  final: SnapshotId;
  suites: readonly FrozenSuite[];
  depth: "check" | "full";
};

/** The judge. It alone sees the whole task, and it works in workspaces of its own. */
export interface Oracle {
  readonly specificationVersion: "v1";
  /** Throws an {@link InvalidInputError} that names the field for a task that cannot be judged. Touches nothing. */
  validate(task: Task): void;
  /** The visible suites that the task brings, frozen. Called once a run, before its first step. */
  prepare(input: { task: Task; base: SnapshotId }, context: OracleContext): Promise<FrozenSuite[]>;
  /** Decides whether a suite that was written during the run may count. */
  admit(suite: Suite, base: SnapshotId, context: OracleContext): Promise<Admission>;
  /** Never rejects for what the candidate does; a fault of the machinery is the outcome `infra-error`. */
  verify(input: VerifyInput, context: OracleContext): Promise<Verdict>;
}
