// What a batch costs beside its test processes, and whether its memory stays flat: mock runs of codeswarm, each with a failure, a
// recovery and a pass. First over doubles, in which nothing but the engine works, then over a real sandbox with real tests.
//
//     npm run -s bench -- batch [--runs 1000] [--real 20]
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { codeswarm } from "@swarm/agents";
import {
  type BatchRunOptions,
  type BatchTask,
  fileLogStore,
  type LogStore,
  memoryLogStore,
  type Oracle,
  type Sandbox,
  startBatch,
  type Task,
  type TestReport,
  type TestRunner,
  type Workspace,
} from "@swarm/core";
import { memorySandbox } from "@swarm/core/testing";
import { localSandbox } from "@swarm/sandbox";
import { mockModel, solutionMock } from "@swarm/tasks";
import { printTable } from "./lib/compare.ts";
import { usedHeap } from "./lib/many-runs.ts";

const { values } = parseArgs({
  options: { runs: { type: "string", default: "1000" }, real: { type: "string", default: "20" } },
});
const [runs, real] = [Number(values.runs), Number(values.real)];
const folder = mkdtempSync(join(tmpdir(), "swarm-bench-"));
process.env["TMPDIR"] = folder;

const WRONG = "export const it = (a, b) => a - b;\n";
const RIGHT = "export const it = (a, b) => a + b;\n";
const TEST = `import assert from "node:assert/strict";
import { test } from "node:test";
import { it } from "./it.mjs";
test("adds", () => assert.equal(it(2, 3), 5));
`;

/** Endless, as a generator makes them: nothing of a task is kept once it is done. */
function* tasks(count: number, own: () => Partial<BatchRunOptions> = () => ({})): Generator<BatchTask> {
  for (let number = 0; number < count; number++) {
    const task: Task = {
      id: `sum-${number}`,
      prompt: "Mend it.",
      source: { files: { "it.mjs": WRONG } },
      testFiles: { "it.test.mjs": TEST },
      oracle: { runner: "node:test" },
    };
    const mock = solutionMock({ task, solution: { "it.mjs": RIGHT } });
    const model = { ...mockModel({ id: task.id, mock }), id: "mock:bench" };
    yield { task, run: { team: codeswarm({ model }), ...own() } };
  }
}

const tests: TestRunner = {
  async run(workspace) {
    const passed = new TextDecoder().decode(await workspace.read("it.mjs")) === RIGHT;
    const failure = passed ? null : "a - b is no sum";
    const type = passed ? null : "AssertionError";
    const test: TestReport["tests"][number] = {
      id: "it.test.mjs > adds",
      file: "it.test.mjs",
      status: passed ? "passed" : "failed",
      message: failure,
      errorType: type,
      location: passed ? null : "it.mjs:1",
    };
    return { report: { tests: [test], fault: null }, durations: {} };
  },
};

const oracle: Oracle = {
  specificationVersion: "v1",
  validate() {},
  async prepare({ task }, { sandbox }) {
    const snapshot = await sandbox.snapshots.put({ files: task.testFiles ?? {} });
    return [{ id: "given", author: "task", runner: "double", snapshot, entries: ["it.test.mjs"], tests: [] }];
  },
  admit: () => Promise.reject(new Error("no suite is written")),
  async verify({ final }, { sandbox, signal }) {
    await using workspace = await sandbox.open({ snapshot: final, lane: "oracle" }, { signal });
    const { report } = await tests.run(workspace, [], { signal });
    const passed = report.tests.every(({ status }) => status === "passed");
    return {
      passed,
      outcome: passed ? "verified" : "failed",
      oracle: "given",
      signals: { testsPassed: passed ? 1 : 0, testsFailed: passed ? 0 : 1 },
      reasons: [],
      tampering: [],
      evidence: {},
    };
  },
};

type Spent = { ms: number; cpuMs: number };

function spentSince(ms: number, cpu: NodeJS.CpuUsage): Spent {
  const { user, system } = process.cpuUsage(cpu);
  return { ms: performance.now() - ms, cpuMs: (user + system) / 1000 };
}

let batches = 0;
/** Runs a batch whose every run has to be verified, and samples the heap ten times, which is not counted. */
async function measure(
  all: Iterable<BatchTask>,
  count: number,
  run: Partial<BatchRunOptions>,
  concurrency: number,
): Promise<Spent & { heaps: number[] }> {
  const batch = startBatch(all, { folder: join(folder, `batch-${batches++}`), run, concurrency });
  const heaps: number[] = [];
  const sampling: Spent = { ms: 0, cpuMs: 0 };
  let finished = 0;
  batch.on(({ type }) => {
    if (type !== "finished" || ++finished % Math.ceil(count / 10) !== 0) return;
    const [ms, cpu] = [performance.now(), process.cpuUsage()];
    heaps.push(usedHeap());
    const spent = spentSince(ms, cpu);
    sampling.ms += spent.ms;
    sampling.cpuMs += spent.cpuMs;
  });
  const [ms, cpu] = [performance.now(), process.cpuUsage()];
  const { passed, recovered } = await batch.result;
  const spent = spentSince(ms, cpu);
  if (passed !== count || recovered !== count) throw new Error(`${passed} of ${count} passed, ${recovered} recovered`);
  return { ms: spent.ms - sampling.ms, cpuMs: spent.cpuMs - sampling.cpuMs, heaps };
}

/** Over doubles: a sandbox of maps that is made anew for each run, since it never lets go of a blob. */
async function overDoubles(title: string, store: () => LogStore, concurrency: number) {
  const own = () => ({ sandbox: memorySandbox(), store: store() });
  await measure(tasks(50, own), 50, { tests, oracle }, concurrency); // what grows once has grown by then
  const { ms, cpuMs, heaps } = await measure(tasks(runs, own), runs, { tests, oracle }, concurrency);
  const row = [title, `${concurrency}`, rate(runs, ms), (ms / runs).toFixed(2), (cpuMs / runs).toFixed(2)];
  return { row, heaps };
}

/** Over a real sandbox: `busyMs` is the time in which one of its commands or more were under way. */
async function overProcesses(concurrency: number): Promise<string[]> {
  let busyMs = 0;
  let since = 0;
  let underWay = 0;
  let commands = 0;
  const sandbox = localSandbox({ store: join(folder, "objects") });
  const timed: Sandbox = {
    ...sandbox,
    async open(spec, options) {
      const workspace: Workspace = await sandbox.open(spec, options);
      const exec = workspace.exec.bind(workspace);
      workspace.exec = async (argv, given) => {
        commands += 1;
        if (underWay++ === 0) since = performance.now();
        try {
          return await exec(argv, given);
        } finally {
          if (--underWay === 0) busyMs += performance.now() - since;
        }
      };
      return workspace;
    },
  };
  const run = { sandbox: timed, store: fileLogStore(join(folder, `runs-${concurrency}`)) };
  const { ms, cpuMs } = await measure(tasks(real), real, run, concurrency);
  const aRun = (total: number) => (total / real).toFixed(0);
  const beside = concurrency === 1 ? aRun(ms - busyMs) : "";
  return [`${concurrency}`, rate(real, ms), aRun(ms), (commands / real).toFixed(1), beside, aRun(cpuMs)];
}

function rate(count: number, ms: number): string {
  return ((count / ms) * 1000).toFixed(2);
}

const inMemory = await overDoubles("log in memory", memoryLogStore, 1);
const logs = fileLogStore(join(folder, "runs"));
const synced = await overDoubles("log in files, synced", () => logs, 1);
const sideBySide = await overDoubles("log in files, synced", () => fileLogStore(join(folder, "more")), 8);
printTable(
  `${runs} mock runs over doubles: what the engine costs`,
  ["way", "at once", "runs a second", "ms a run", "CPU ms a run"],
  [inMemory.row, synced.row, sideBySide.row],
);
const heaps = sideBySide.heaps;
printTable(
  `Heap in MB after each tenth of the last ${runs} runs`,
  heaps.map((_, index) => `${index + 1}/${heaps.length}`),
  [heaps.map((bytes) => (bytes / 1e6).toFixed(1))],
);

const head = ["at once", "runs a second", "ms a run", "commands a run", "ms without a command", "own CPU ms a run"];
const rows = [await overProcesses(1), await overProcesses(2)];
printTable(
  `${real} mock runs over a real sandbox (${localSandbox({ store: folder }).tier}), tests of node:test`,
  head,
  rows,
);
rmSync(folder, { recursive: true });
