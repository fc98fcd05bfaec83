import type { FrozenSuite, OracleContext, SnapshotId } from "@swarm/core";
import { runSuite } from "./run-suite.ts";
import type { RunnerAdapter, RunnerOptions, RunnerRun } from "./runners/adapter.ts";

/** What a suite is run on, and by what: `code`, with the files of `visible` suites over it. */
export type Ground = {
  code: SnapshotId;
  visible: readonly FrozenSuite[];
  timeoutMs: number;
  runners: readonly RunnerAdapter[];
};

/** Runs one suite in a workspace of its own, which holds the code, the visible suites, and this suite on top of all. */
export async function runInRoom(
  suite: FrozenSuite,
  ground: Ground,
  context: OracleContext,
  options: Pick<RunnerOptions, "shareTime"> = {},
): Promise<RunnerRun> {
  const { sandbox, signal } = context;
  const layers = [...ground.visible.map(({ snapshot }) => snapshot), suite.snapshot];
  const snapshot = await sandbox.snapshots.overlay(ground.code, layers);
  await using workspace = await sandbox.open({ snapshot, lane: "oracle" }, { signal });
  const { timeoutMs, runners } = ground;
  return await runSuite(workspace, suite, { signal, timeoutMs, runners, ...options });
}
