import { faultOf, type TestReport, type Workspace } from "@swarm/core";
import type { RunnerAdapter, RunnerOptions, RunnerProcess } from "./adapter.ts";
import { NODE_TEST_BOOTSTRAP } from "./node-test-bootstrap.ts";
import { type ProcessRun, reportOf } from "./report-of.ts";
import { runProcess } from "./run-process.ts";

/**
 * Node's own test runner, each entry in a process of its own. A test's id is `path > outer > inner`; a second test of one
 * name has ` [2]` at its end. A test that is to do counts as an expected failure. Files and suites are not tests.
 */
export const nodeTest: RunnerAdapter = {
  name: "node:test",
  evidence: "hooks",
  sample: { "sample.test.mjs": 'import { test } from "node:test";\ntest("works", () => {});\n' },
  canBeWarm: true,

  isTestFile(path) {
    return /(?:^|\/)(?:test|test-[^/]*|[^/]*[._-]test)\.[cm]?[jt]s$/.test(path);
  },

  isTestOf(entry, id) {
    return id.startsWith(`${entry} > `);
  },

  async run(workspace, entries, { timeoutMs, only, warm = false, ...options }) {
    const report: TestReport = { tests: [], fault: null };
    const durations: Record<string, number> = {};
    let version: string | null = null;
    let process: RunnerProcess | null = null;
    let left = timeoutMs;
    for (const entry of entries) {
      if (left <= 0) {
        const message = `the tests did not end within their time limit; ${entry} was not run`;
        report.fault ??= faultOf({ code: "TIMED_OUT", message, retryable: true });
        break;
      }
      const one = await runFile(workspace, entry, { ...options, timeoutMs: left, warm });
      // The runner can choose tests by patterns of their names alone, so all run.
      report.tests.push(...one.report.tests.filter(({ id }) => !only || only.includes(id)));
      report.fault ??= one.report.fault;
      if (one.report.loaded) report.loaded = { ...report.loaded, ...one.report.loaded };
      Object.assign(durations, one.durations);
      version ??= one.version;
      if (process === null || process.code === 0) process = one.process;
      left -= one.testsMs;
    }
    const command = startOf("<entry>")[warm ? "warm" : "command"]("<bootstrap>");
    const known = { outputs: {}, version, interpreter: null, process, env: {} };
    return { report, durations, ...known, command, warm };
  },
};

function startOf(entry: string) {
  const command = (source: string) => ["node", "-e", source];
  const warm = (source: string) => [...command(source), "warm"];
  const input = (nonce: string) => JSON.stringify({ nonce, entry });
  return { bootstrap: NODE_TEST_BOOTSTRAP, command, warm, input };
}

async function runFile(workspace: Workspace, entry: string, options: RunnerOptions): Promise<ProcessRun> {
  const { result, nonce } = await runProcess(workspace, startOf(entry), options);
  return reportOf(result, nonce);
}
