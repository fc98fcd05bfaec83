import { randomBytes } from "node:crypto";
import { faultOf, type TestReport, type Workspace } from "@swarm/core";
import type { RunnerAdapter, RunnerOptions, RunnerProcess } from "./adapter.ts";
import { START_MS } from "./adapter.ts";
import { NODE_TEST_BOOTSTRAP } from "./node-test-bootstrap.ts";
import { type ProcessRun, reportOf } from "./report-of.ts";

/**
 * Node's own test runner, each entry in a process of its own. A test's id is `path > outer > inner`; a second test of one
 * name has ` [2]` at its end. A test that is to do counts as an expected failure. Files and suites are not tests.
 */
export const nodeTest: RunnerAdapter = {
  name: "node:test",
  evidence: "hooks",
  sample: { "sample.test.mjs": 'import { test } from "node:test";\ntest("works", () => {});\n' },

  isTestFile(path) {
    return /(?:^|\/)(?:test|test-[^/]*|[^/]*[._-]test)\.[cm]?[jt]s$/.test(path);
  },

  isTestOf(entry, id) {
    return id.startsWith(`${entry} > `);
  },

  async run(workspace, entries, { signal, timeoutMs }) {
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
      const one = await runFile(workspace, entry, { signal, timeoutMs: left });
      report.tests.push(...one.report.tests);
      report.fault ??= one.report.fault;
      Object.assign(durations, one.durations);
      version ??= one.version;
      if (process === null || process.code === 0) process = one.process;
      left -= one.testsMs;
    }
    const command = commandFor("<entry>", "<bootstrap>", "<nonce>");
    return { report, durations, outputs: {}, version, interpreter: null, process, command, env: {} };
  },
};

function commandFor(entry: string, source: string, nonce: string): string[] {
  return ["node", "-e", source, nonce, JSON.stringify({ entry })];
}

async function runFile(workspace: Workspace, entry: string, options: RunnerOptions): Promise<ProcessRun> {
  const nonce = randomBytes(16).toString("hex");
  const result = await workspace.exec(commandFor(entry, NODE_TEST_BOOTSTRAP, nonce), {
    signal: options.signal,
    timeoutMs: options.timeoutMs,
    startMs: START_MS,
    channel: true,
  });
  return reportOf(result, nonce);
}
