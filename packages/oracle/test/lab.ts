import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Files, OracleContext, Sandbox, Task, TestReport, TestResult, Verdict } from "@swarm/core";
import { cleanRoomOracle, testRunner } from "@swarm/oracle";
import { localSandbox } from "@swarm/sandbox";

/** A sandbox for one test file, and what the tests do in it. */
export type Lab = {
  sandbox: Sandbox;
  context: OracleContext;
  /** Runs test files of one workspace by the public runner. Default entries: all that are named `…test…`. */
  report(runner: string, files: Files, options?: { entries?: string[]; timeoutMs?: number }): Promise<TestReport>;
  /** The full verdict on a candidate: the starter with `work` over it, `null` removing a file. */
  verdict(task: Task, work: Record<string, Files[string] | null>): Promise<Verdict>;
  [Symbol.asyncDispose](): Promise<void>;
};

export async function openLab(): Promise<Lab> {
  const store = await mkdtemp(join(tmpdir(), "swarm-oracle-"));
  const sandbox = localSandbox({ store });
  const context: OracleContext = { sandbox, signal: new AbortController().signal };
  const { snapshots } = sandbox;

  return {
    sandbox,
    context,

    async report(runner, files, { entries, timeoutMs = 10_000 } = {}) {
      const snapshot = await snapshots.put({ files });
      const chosen = entries ?? Object.keys(files).filter((path) => /test_|\.test\./.test(path));
      const suite = { id: "suite", author: "someone", runner, snapshot, entries: chosen, tests: [] };
      await using workspace = await sandbox.open({ snapshot, lane: "lab" }, context);
      return (await testRunner({ timeoutMs }).run(workspace, [suite], context)).report;
    },

    async verdict(task, work) {
      const oracle = cleanRoomOracle({ timeoutMs: 10_000 });
      oracle.validate(task);
      const starter = { ...filesOf(task), ...task.testFiles };
      const base = await snapshots.put({ files: starter });
      const suites = await oracle.prepare({ task, base }, context);
      const after = Object.entries({ ...starter, ...work }).filter(
        (file): file is [string, Files[string]] => file[1] !== null,
      );
      const final = await snapshots.put({ files: Object.fromEntries(after) });
      return await oracle.verify({ task, base, final, suites, depth: "full" }, context);
    },

    async [Symbol.asyncDispose]() {
      await rm(store, { recursive: true, force: true });
    },
  };
}

function filesOf(task: Task): Files {
  if (!("files" in task.source)) throw new Error("tasks of the lab bring their files");
  return task.source.files;
}

/** Status by id. */
export function statuses(report: TestReport): Record<string, TestResult["status"]> {
  return Object.fromEntries(report.tests.map(({ id, status }) => [id, status]));
}
