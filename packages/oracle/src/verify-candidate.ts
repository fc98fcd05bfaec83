import {
  checkInput,
  InvalidInputError,
  type Oracle,
  type OracleContext,
  type Sandbox,
  type SnapshotId,
  type Task,
  TaskSchema,
  type TaskSource,
  type Verdict,
} from "@swarm/core";
import { applyPatch } from "./apply-patch.ts";
import { cleanRoomOracle } from "./clean-room-oracle.ts";

/** The files after the work, whole: given, as a folder, or as a revision; or a patch to the files that it began from. */
export type CandidateSource = TaskSource | { patch: string | Uint8Array };

export type VerifyCandidateOptions = {
  task: Task;
  candidate: CandidateSource;
  /** Where snapshots are kept and tests run. */
  sandbox: Sandbox;
  /** Default: {@link cleanRoomOracle}. */
  oracle?: Oracle;
  /** Aborting it rejects with its reason. */
  signal?: AbortSignal;
};

/**
 * Judges anyone's work on a task. The candidate need not hold those tests that only the task brings: they are laid over it in
 * any case. Throws an {@link InvalidInputError} that names the field: a task that cannot be judged, a candidate that is not
 * there, and with `PATCH_DOES_NOT_APPLY` a patch that does not fit.
 */
export async function verifyCandidate(options: VerifyCandidateOptions): Promise<Verdict> {
  const { candidate, sandbox, oracle = cleanRoomOracle(), signal = new AbortController().signal } = options;
  const task = checkInput(TaskSchema, options.task, { root: "task", prefix: "task" });
  oracle.validate(task);
  if (!task.testFiles && !task.hiddenTestFiles) {
    throw new InvalidInputError("task.testFiles", "is missing: without tests there is nothing to judge by");
  }
  const context: OracleContext = { sandbox, signal };
  const { snapshots } = sandbox;
  const source = await snapshots.put(task.source);
  const tests = await snapshots.put({ files: task.testFiles ?? {} });
  const base = await snapshots.overlay(source, [tests]);
  const work = await snapshotOf(candidate, [base, source], context);
  const final = await snapshots.overlay(await testsBeside(source, task, context), [work]);
  const suites = await oracle.prepare({ task, base }, context);
  return await oracle.verify({ task, base, final, suites, depth: "full" }, context);
}

/** Its absence from a version of the task's source is no removal of a test that is not in there. */
async function testsBeside(
  source: SnapshotId,
  { testFiles = {} }: Task,
  { sandbox }: OracleContext,
): Promise<SnapshotId> {
  const own = new Set(await sandbox.snapshots.list(source));
  const beside = Object.entries(testFiles).filter(([path]) => !own.has(path));
  return await sandbox.snapshots.put({ files: Object.fromEntries(beside) });
}

/** A patch may have been made with the visible tests in place, or bring tests of its own where they will be. */
async function snapshotOf(
  candidate: CandidateSource,
  bases: readonly SnapshotId[],
  context: OracleContext,
): Promise<SnapshotId> {
  if ("patch" in candidate) return await applyPatch(candidate.patch, [...new Set(bases)], context);
  try {
    return await context.sandbox.snapshots.put(candidate);
  } catch (error) {
    if (!(error instanceof InvalidInputError)) throw error;
    const { code, message } = error;
    const field = error.field.replace(/^source\b/, "candidate");
    throw new InvalidInputError(field, message.replace(`${error.field}: `, ""), { code, cause: error });
  }
}
