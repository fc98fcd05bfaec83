import type { TestRun, TestRunner } from "@swarm/core";
import { runSuite } from "./run-suite.ts";
import { runnerOf } from "./runners/registry.ts";

export type TestRunnerOptions = {
  /** Time for the tests of a suite that sets none, in milliseconds, without the start of its runner. Default 15,000. */
  timeoutMs?: number;
};

/**
 * Runs suites by the runner that each names (`pytest`, `node:test`), one after the other, into one report. Its fault is the
 * first one met. Rejects with an {@link InvalidInputError} for a runner that is not known, before anything is run.
 */
export function testRunner({ timeoutMs = 15_000 }: TestRunnerOptions = {}): TestRunner {
  return {
    async run(workspace, suites, { signal }) {
      suites.forEach((suite, index) => {
        runnerOf(suite.runner, `suites[${index}].runner`);
      });
      const merged: TestRun = { report: { tests: [], fault: null }, durations: {} };
      for (const suite of suites) {
        const { report, durations } = await runSuite(workspace, suite, {
          signal,
          timeoutMs: suite.timeoutMs ?? timeoutMs,
        });
        merged.report.tests.push(...report.tests);
        merged.report.fault ??= report.fault;
        Object.assign(merged.durations, durations);
      }
      return merged;
    },
  };
}
