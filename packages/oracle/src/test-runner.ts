import type { TestRun, TestRunner } from "@swarm/core";
import { runSuite } from "./run-suite.ts";
import type { RunnerAdapter } from "./runners/adapter.ts";
import { builtInRunners, runnerOf } from "./runners/registry.ts";

export type TestRunnerOptions = {
  /** Time for the tests of a suite that sets none, in milliseconds, without the start of its runner. Default 15,000. */
  timeoutMs?: number;
  /** The test runners that suites may name. Default: {@link builtInRunners}. */
  runners?: readonly RunnerAdapter[];
};

/**
 * Runs suites by the runner that each names, one after the other, into one report. Its fault is the
 * first one met. Rejects with an {@link InvalidInputError} for a runner that is not known, before anything is run.
 */
export function testRunner(options: TestRunnerOptions = {}): TestRunner {
  const { timeoutMs = 15_000, runners = builtInRunners() } = options;
  return {
    async run(workspace, suites, { signal }) {
      suites.forEach((suite, index) => {
        runnerOf(runners, suite.runner, `suites[${index}].runner`);
      });
      const merged: TestRun = { report: { tests: [], fault: null }, durations: {} };
      for (const suite of suites) {
        const { report, durations } = await runSuite(workspace, suite, {
          signal,
          timeoutMs: suite.timeoutMs ?? timeoutMs,
          runners,
        });
        merged.report.tests.push(...report.tests);
        merged.report.fault ??= report.fault;
        Object.assign(merged.durations, durations);
      }
      return merged;
    },
  };
}
