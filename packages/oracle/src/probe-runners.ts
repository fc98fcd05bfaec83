import { messageOf, type Sandbox } from "@swarm/core";
import type { RunnerAdapter } from "./runners/adapter.ts";
import { builtInRunners } from "./runners/registry.ts";

export type RunnerProbe = {
  name: string;
  works: boolean;
  /** The version of a runner that works, else why it does not. */
  found: string;
};

/** Time for one passing test, with what has to be built for it. */
const PROBE_MS = 60_000;

/**
 * Tries each runner that has a sample, as a run would use it: in a workspace of `sandbox`, with one passing test. They are tried
 * side by side. Rejects when the signal aborts.
 */
export async function probeRunners(
  sandbox: Sandbox,
  { signal, runners = builtInRunners() }: { signal: AbortSignal; runners?: readonly RunnerAdapter[] },
): Promise<RunnerProbe[]> {
  return await Promise.all(
    runners.flatMap((runner) => (runner.sample ? [probe(runner, runner.sample, sandbox, signal)] : [])),
  );
}

async function probe(
  runner: RunnerAdapter,
  files: Record<string, string>,
  sandbox: Sandbox,
  signal: AbortSignal,
): Promise<RunnerProbe> {
  const { name } = runner;
  try {
    const snapshot = await sandbox.snapshots.put({ files });
    await using workspace = await sandbox.open({ snapshot, lane: "probe" }, { signal });
    const entries = Object.keys(files).filter((path) => runner.isTestFile(path));
    const { report, version, interpreter } = await runner.run(workspace, entries, { signal, timeoutMs: PROBE_MS });
    const works = report.fault === null && report.tests.some(({ status }) => status === "passed");
    if (works) return { name, works, found: [version, interpreter && `on ${interpreter}`].filter(Boolean).join(" ") };
    return { name, works, found: report.fault?.message ?? "its passing test did not pass" };
  } catch (error) {
    signal.throwIfAborted();
    return { name, works: false, found: messageOf(error) };
  }
}
