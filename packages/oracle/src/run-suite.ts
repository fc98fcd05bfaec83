import { type FrozenSuite, faultOf, type Workspace } from "@swarm/core";
import { withSources } from "./frame-sources.ts";
import type { RunnerAdapter, RunnerOptions, RunnerRun } from "./runners/adapter.ts";
import { runnerOf } from "./runners/registry.ts";

/** Runs one suite where its files lie already. Throws an {@link InvalidInputError} for an unknown runner. */
export async function runSuite(
  workspace: Workspace,
  suite: FrozenSuite,
  { runners, ...options }: RunnerOptions & { runners: readonly RunnerAdapter[] },
): Promise<RunnerRun> {
  const adapter = runnerOf(runners, suite.runner, "suite.runner");
  if (suite.entries.length > 0) {
    const run = await adapter.run(workspace, suite.entries, options);
    return { ...run, report: await withSources(workspace, run.report) };
  }
  const fault = faultOf({ code: "NO_TESTS", message: `suite ${suite.id} names no test file`, retryable: true });
  const nothing = { version: null, interpreter: null, command: [], env: {}, outputs: {}, process: null };
  return { report: { tests: [], fault }, durations: {}, ...nothing };
}
