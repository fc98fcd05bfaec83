import type { TestRun, Workspace } from "@swarm/core";

export type RunnerOptions = {
  signal: AbortSignal;
  /** Time for the tests in milliseconds; the start of the runner is not counted. */
  timeoutMs: number;
};

/** A {@link TestRun} with the facts by which it can be made again. */
export type RunnerRun = TestRun & {
  /** Version that the runner gave of itself; null when it never came that far. */
  version: string | null;
  /** What was run, with placeholders for the source of the bootstrap and the nonce. */
  command: string[];
};

/**
 * How one test runner is driven. The bootstrap travels in the command, so nothing is placed in the workspace, and the
 * results come back over the command's channel and never from what the tests print.
 */
export interface RunnerAdapter {
  /** The `runner` of the suites that it runs. */
  readonly name: string;
  /** Whether a file is a test file by the runner's own naming convention. */
  isTestFile(path: string): boolean;
  /** Whether `id` is the id of a test in the test file `entry`. */
  isTestOf(entry: string, id: string): boolean;
  /** Runs test files. Rejects only for a broken sandbox, a runner that is not installed, or an aborted signal. */
  run(workspace: Workspace, entries: readonly string[], options: RunnerOptions): Promise<RunnerRun>;
}

/** The longest that a runner may take before it says that it is ready: a slow start is not taken for a slow test. */
export const START_MS = 10_000;
