import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Files, OracleContext, Sandbox, Task, TestReport, TestResult, Verdict, Workspace } from "@swarm/core";
import {
  builtInRunners,
  cleanRoomOracle,
  type Discovery,
  type RunnerAdapter,
  type RunnerRun,
  testRunner,
} from "@swarm/oracle";
import { localSandbox } from "@swarm/sandbox";

/** A sandbox for one test file, and what the tests do in it. */
export type Lab = {
  sandbox: Sandbox;
  context: OracleContext;
  /** Runs test files of one workspace by the public runner. Default entries: all that the runner takes for test files. */
  report(runner: string, files: Files, options?: { entries?: string[]; timeoutMs?: number }): Promise<TestReport>;
  /** The same by the adapter itself. */
  run(runner: string, files: Files, options?: RunOptions): Promise<RunnerRun>;
  discover(runner: string, files: Files): Promise<Discovery>;
  /** The full verdict on a candidate: the starter with `work` over it, `null` removing a file. */
  verdict(task: Task, work: Record<string, Files[string] | null>): Promise<Verdict>;
  [Symbol.asyncDispose](): Promise<void>;
};

type RunOptions = { entries?: string[]; timeoutMs?: number; only?: string[] };

/** The built-in runners, with the npm packages that this package's own tests bring. */
export const runners: readonly RunnerAdapter[] = builtInRunners({ from: import.meta.dirname });

/** A sandbox with the built-in runners and `more`. */
export async function openLab(more: readonly RunnerAdapter[] = []): Promise<Lab> {
  const all = [...more, ...runners];
  const store = await mkdtemp(join(tmpdir(), "swarm-oracle-"));
  const sandbox = localSandbox({ store });
  const context: OracleContext = { sandbox, signal: new AbortController().signal };
  const { snapshots } = sandbox;
  const oracle = cleanRoomOracle({ timeoutMs: 10_000, runners: all });

  function adapterOf(name: string): RunnerAdapter {
    const adapter = all.find((one) => one.name === name);
    if (!adapter) throw new Error(`the lab has no runner ${name}`);
    return adapter;
  }

  async function inWorkspace<T>(files: Files, use: (workspace: Workspace) => Promise<T>): Promise<T> {
    const snapshot = await snapshots.put({ files });
    await using workspace = await sandbox.open({ snapshot, lane: "lab" }, context);
    return await use(workspace);
  }

  return {
    sandbox,
    context,

    async run(runner, files, { entries, timeoutMs = 25_000, only } = {}) {
      const adapter = adapterOf(runner);
      const chosen = entries ?? entriesOf(adapter, files);
      const options = { signal: context.signal, timeoutMs, ...(only && { only }) };
      return await inWorkspace(files, (workspace) => adapter.run(workspace, chosen, options));
    },

    async discover(runner, files) {
      const adapter = adapterOf(runner);
      const options = { signal: context.signal, timeoutMs: 25_000 };
      if (!adapter.discover) throw new Error(`${runner} cannot find tests without running them`);
      const discover = adapter.discover.bind(adapter);
      return await inWorkspace(files, (workspace) => discover(workspace, entriesOf(adapter, files), options));
    },

    async report(runner, files, { entries, timeoutMs = 25_000 } = {}) {
      const snapshot = await snapshots.put({ files });
      const adapter = all.find(({ name }) => name === runner);
      const chosen = entries ?? (adapter ? entriesOf(adapter, files) : []);
      const suite = { id: "suite", author: "someone", runner, snapshot, entries: chosen, tests: [] };
      await using workspace = await sandbox.open({ snapshot, lane: "lab" }, context);
      return (await testRunner({ timeoutMs, runners: all }).run(workspace, [suite], context)).report;
    },

    async verdict(task, work) {
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

function entriesOf(adapter: RunnerAdapter, files: Files): string[] {
  return Object.keys(files).filter((path) => adapter.isTestFile(path));
}

function filesOf(task: Task): Files {
  if (!("files" in task.source)) throw new Error("tasks of the lab bring their files");
  return task.source.files;
}

/** Status by id. */
export function statuses(report: TestReport): Record<string, TestResult["status"]> {
  return Object.fromEntries(report.tests.map(({ id, status }) => [id, status]));
}
