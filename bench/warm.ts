// What a warm test run costs against a cold one and against what a user would do otherwise, and whether it says the same.
// `npm run -s bench -- warm` measures. With `--data <folder>` it compares reports instead, over task sets of the public kind:
// files *.jsonl whose lines are {id, runner, starterFiles, testFiles, solutionFiles: {path: text}}. `--sample <n>` takes at
// most so many tasks of each file, spread over it; default 10.
import { createReadStream, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";
import { type Files, type FrozenSuite, linesOf, type TestReport, type Workspace } from "@swarm/core";
import { builtInRunners, type RunnerAdapter, testRunner } from "@swarm/oracle";
import { localSandbox } from "@swarm/sandbox";
import { type Contender, compare } from "./lib/compare.ts";

const TIMEOUT_MS = 5_000;
/** After every run, as a model's answer comes between two: the process for the next warm one has its start behind it. */
const PAUSE_MS = 500;
const SUITES = {
  pytest: {
    "solution.py": "def add(a, b):\n    return a + b\n",
    "test_add.py": `import pytest
from solution import add
@pytest.mark.parametrize("a, b, sum", [(1, 2, 3), (2, 2, 4), (0, 0, 0)])
def test_add(a, b, sum):
    assert add(a, b) == sum
`,
  },
  "node:test": {
    "solution.mjs": "export const add = (a, b) => a + b;\n",
    "add.test.mjs": `import assert from "node:assert/strict";
import { test } from "node:test";
import { add } from "./solution.mjs";
for (const [a, b, sum] of [[1, 2, 3], [2, 2, 4], [0, 0, 0]]) test(a + " + " + b, () => assert.equal(add(a, b), sum));
`,
  },
} as const;
/** How a user would run them. */
const OWN_COMMAND = {
  pytest: ["python3", "-m", "pytest", "-q", "-p", "no:cacheprovider"],
  "node:test": ["node", "--test"],
} as const;

const { values } = parseArgs({ options: { data: { type: "string" }, sample: { type: "string", default: "10" } } });
const folder = mkdtempSync(join(tmpdir(), "swarm-bench-"));
process.env["TMPDIR"] = folder;
const { signal } = new AbortController();
const isolated = localSandbox({ store: join(folder, "objects"), isolation: "preferred" });
const plain = localSandbox({ store: join(folder, "objects"), isolation: "none" });
const { snapshots } = isolated;
if (isolated.tier !== "bubblewrap") {
  console.error("Bubblewrap does not work here, and without it there are no warm runs");
  process.exitCode = 1;
} else if (values.data === undefined) {
  for (const name of ["pytest", "node:test"] as const) await measure(name);
} else {
  await check(values.data, Number(values.sample));
}
rmSync(folder, { recursive: true });

function runnerNamed(name: string): RunnerAdapter | undefined {
  return builtInRunners().find((runner) => runner.name === name && runner.canBeWarm);
}

async function measure(name: keyof typeof SUITES): Promise<void> {
  const files = SUITES[name];
  const adapter = runnerNamed(name)!;
  const entries = Object.keys(files).filter((path) => adapter.isTestFile(path));
  const snapshot = await snapshots.put({ files });
  const opened = (sandbox: typeof isolated) => sandbox.open({ snapshot, lane: "bench" }, { signal });
  await using here = await opened(plain);
  await using cold = await opened(isolated);
  await using warm = await opened(isolated);

  const own = OWN_COMMAND[name];
  const env = { PYTEST_DISABLE_PLUGIN_AUTOLOAD: "1" };
  const ownRun = (workspace: Workspace) => async () => {
    const { code, output } = await workspace.exec(own, { signal, timeoutMs: TIMEOUT_MS, env });
    if (code !== 0) throw new Error(output);
  };
  const suite: FrozenSuite = { id: "bench", author: "bench", runner: name, snapshot, entries, tests: [] };
  const runner = testRunner();
  const coldly = (workspace: Workspace) => async () => {
    expectPassed((await adapter.run(workspace, entries, { signal, timeoutMs: TIMEOUT_MS })).report);
  };
  const warmly = {
    name: "warm, isolated",
    round: async () => expectPassed((await runner.run(warm, [suite], { signal })).report),
  };
  for (let n = 0; n < 2; n += 1) await warmly.round();
  const ways: Contender[] = [
    { name: "cold, isolated", round: coldly(cold) },
    { name: "cold, plain", round: coldly(here) },
    { name: `\`${own.join(" ")}\`, isolated`, round: ownRun(cold) },
    { name: `\`${own.join(" ")}\`, plain`, round: ownRun(here) },
    warmly,
  ];
  const rested = ways.map((way) => ({ ...way, after: () => delay(PAUSE_MS) }));
  await compare(`A run of three small tests by ${name}`, "run", 1, rested, 15);
  const { warm: warmRuns, cold: coldRuns, mismatches, faults } = runner.counts;
  console.log(
    `\nOf the warm row ${warmRuns} runs were warm and ${coldRuns} cold; ${mismatches + faults} were set right.`,
  );
}

function expectPassed({ tests, fault }: TestReport): void {
  if (fault || tests.length !== 3 || tests.some(({ status }) => status !== "passed")) {
    throw new Error(`the tests do not pass: ${JSON.stringify(fault ?? tests)}`);
  }
}

type Row = { id: string; runner: string; starterFiles: Files; testFiles: Files; solutionFiles: Files };

async function check(data: string, sample: number): Promise<void> {
  const totals = { equal: 0, cold: 0, differing: 0 };
  for (const file of readdirSync(data).filter((name) => name.endsWith(".jsonl"))) {
    const rows = (await rowsOf(join(data, file))).filter(({ runner }) => runnerNamed(runner));
    if (rows.length === 0) continue;
    const every = Math.max(1, Math.floor(rows.length / sample));
    const chosen = rows.filter((_, index) => index % every === 0).slice(0, sample);
    const told: string[] = [];
    for (const row of chosen) told.push(...(await compared(row)));
    const equal = told.filter((one) => one === "equal").length;
    const shadowed = told.filter((one) => one === "cold").length;
    const differing = told.filter((one) => one !== "equal" && one !== "cold");
    totals.equal += equal;
    totals.cold += shadowed;
    totals.differing += differing.length;
    console.log(`${file}: ${chosen.length} tasks, ${equal} pairs of reports equal, ${differing.length} not`);
    for (const one of differing) console.log(`  ${one}`);
  }
  console.log(`${totals.equal} pairs equal, ${totals.differing} not, ${totals.cold} left to a cold run`);
  process.exitCode = totals.differing === 0 ? 0 : 1;
}

async function rowsOf(file: string): Promise<Row[]> {
  const rows: Row[] = [];
  for await (const { text } of linesOf(createReadStream(file))) rows.push(JSON.parse(text));
  return rows;
}

/** The solution, and then the starter, cold and warm: "equal", "cold" where the warm run was none, or what differs. */
async function compared({ id, runner, starterFiles, testFiles, solutionFiles }: Row): Promise<string[]> {
  const adapter = runnerNamed(runner)!;
  const entries = Object.keys(testFiles).filter((path) => adapter.isTestFile(path));
  const states = await Promise.all(
    [solutionFiles, {}].map((work) => snapshots.put({ files: { ...starterFiles, ...work, ...testFiles } })),
  );
  await using workspace = await isolated.open({ snapshot: states[0]!, lane: "bench" }, { signal });
  const reportOf = async (state: string, warm: boolean) => {
    await workspace.restore(state);
    return await adapter.run(workspace, entries, { signal, timeoutMs: TIMEOUT_MS, warm, ahead: true });
  };
  const told: string[] = [];
  for (const [index, state] of states.entries()) {
    const [cold, warm] = [await reportOf(state, false), await reportOf(state, true)];
    const equal = JSON.stringify(cold.report) === JSON.stringify(warm.report);
    const which = `${id}, ${index === 0 ? "solution" : "starter"}`;
    if (equal) told.push(warm.warm ? "equal" : "cold");
    else {
      const again = await reportOf(state, false);
      const alone = JSON.stringify(cold.report) !== JSON.stringify(again.report);
      told.push(`${which}: ${alone ? "two cold runs differ too" : "differs"}`);
    }
  }
  return told;
}
