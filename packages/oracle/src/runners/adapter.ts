import type { ExecResult, Fault, TestRun, Workspace } from "@swarm/core";

export type RunnerOptions = {
  signal: AbortSignal;
  /** Time for the tests in milliseconds; the start of the runner is not counted. */
  timeoutMs: number;
  /** Ids of the tests to run, each of one of the entries. Default: all tests. */
  only?: readonly string[];
  /**
   * Whether to run them warm: by a process that had its start behind it when it was told what to run. Where that could make a
   * difference that is known, it is a cold run all the same. Default false.
   */
  warm?: boolean;
  /** Whether a process for a warm run in this workspace may be started once this run has ended. Default false. */
  ahead?: boolean;
  /**
   * Whether each test has an equal share of the time, and fails where it takes longer: so one that never ends does not keep the
   * others from being told of. Default false.
   */
  shareTime?: boolean;
  /** Whether to tell in the report what was loaded, as far as the sandbox sees it. Default false. */
  loads?: boolean;
};

/** A {@link TestRun} with the facts by which it can be made again. */
export type RunnerRun = TestRun & {
  /** Version that the runner gave of itself; null when it never came that far. */
  version: string | null;
  /** What the runner runs on, such as `Node v24.1.0`, where it is a program of its own. */
  interpreter: string | null;
  /** What was run, with placeholders for the source of the bootstrap and the nonce. */
  command: string[];
  /** The variables that were added to the sandbox's environment. */
  env: Record<string, string>;
  /** What a test printed, by its id, where the runner tells it apart. */
  outputs: Record<string, string>;
  /** How the runner's process ended, and all that it printed; of several, the first that did not end well, else the last. */
  process: RunnerProcess | null;
  /** Whether it was a warm run. Default false. */
  warm?: boolean;
};
export type RunnerProcess = Pick<ExecResult, "code" | "signal" | "timedOut" | "output">;

/** The ids that a runner would run. Of files that could not be loaded, which `fault` tells of, there are none. */
export type Discovery = { ids: string[]; fault: Fault | null };

/**
 * How one test runner is driven. Nothing is placed in the workspace: what drives the runner travels in the command, and its
 * results come back over the command's channel. A run leaves what it made in the workspace, and may be made again there.
 */
export interface RunnerAdapter {
  /** The `runner` of the suites that it runs. */
  readonly name: string;
  /**
   * Where results come from: from hooks in the runner, or from what the runner writes down for others, into which code under
   * test can write too. A verdict names the second, since it cannot exclude that.
   */
  readonly evidence: "hooks" | "written";
  /** The smallest files of a suite with one passing test, by which a machine is tried. Absent where there is none. */
  readonly sample?: Readonly<Record<string, string>>;
  /** Whether a file is a test file by the runner's own naming convention. */
  isTestFile(path: string): boolean;
  /** Whether `id` is the id of a test in the test file `entry`. */
  isTestOf(entry: string, id: string): boolean;
  /** Finds tests without running them. Absent where the runner cannot. Rejects as `run` does. */
  discover?(workspace: Workspace, entries: readonly string[], options: RunnerOptions): Promise<Discovery>;
  /** Whether it has warm runs. Default false. */
  readonly canBeWarm?: boolean;
  /** Whether it can end a single test that takes longer than its share of the time. Default false. */
  readonly canShareTime?: boolean;
  /** Runs test files. Rejects only for a broken sandbox, a runner that is not installed, or an aborted signal. */
  run(workspace: Workspace, entries: readonly string[], options: RunnerOptions): Promise<RunnerRun>;
}

/** The longest that a runner may take before it says that it is ready: a slow start is not taken for a slow test. */
export const START_MS = 10_000;
