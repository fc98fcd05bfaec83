import type { TestRun, TestRunner } from "@swarm/core";
import type { RunnerAdapter } from "./runners/adapter.ts";
import { builtInRunners, runnerOf } from "./runners/registry.ts";
import { type WarmCounts, WarmRuns } from "./warm-runs.ts";

export type TestRunnerOptions = {
  /** Time for the tests of a suite that sets none, in milliseconds, without the start of its runner. Default 15,000. */
  timeoutMs?: number;
  /** The test runners that suites may name. Default: {@link builtInRunners}. */
  runners?: readonly RunnerAdapter[];
  /** Whether reports tell what the tests loaded, as far as the sandbox sees it. Default false. */
  loads?: boolean;
};

/** A test runner that knows how its runs were made. */
export interface CountingTestRunner extends TestRunner {
  readonly counts: Readonly<WarmCounts>;
}

/**
 * Runs suites by the runner that each names, one after the other, into one report. Its fault is the
 * first one met. Rejects with an {@link InvalidInputError} for a runner that is not known, before anything is run.
 *
 * A suite that it runs again and again is run warm, in a process that was started ahead, once that has made no difference.
 */
export function testRunner(options: TestRunnerOptions = {}): CountingTestRunner {
  const { timeoutMs = 15_000, runners = builtInRunners(), loads = false } = options;
  const runs = new WarmRuns(runners);
  return {
    counts: runs.counts,
    async run(workspace, suites, { signal, notice }) {
      suites.forEach((suite, index) => {
        runnerOf(runners, suite.runner, `suites[${index}].runner`);
      });
      const merged: TestRun = { report: { tests: [], fault: null }, durations: {} };
      for (const suite of suites) {
        const { report, durations } = await runs.run(workspace, suite, {
          signal,
          notice,
          loads,
          timeoutMs: suite.timeoutMs ?? timeoutMs,
        });
        merged.report.tests.push(...report.tests);
        merged.report.fault ??= report.fault;
        if (report.loaded) merged.report.loaded = { ...merged.report.loaded, ...report.loaded };
        Object.assign(merged.durations, durations);
      }
      return merged;
    },
  };
}
