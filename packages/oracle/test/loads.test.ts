import { type Files, type FrozenSuite, sha256 } from "@swarm/core";
import { testRunner } from "@swarm/oracle";
import { afterAll, expect, it } from "vitest";
import { openLab } from "./lab.ts";

const lab = await openLab();
afterAll(() => lab[Symbol.asyncDispose]());

const PYTHON = {
  "add.py": "def add(a, b): return a + b\n",
  "test_add.py": "from add import add\ndef test_it(): assert add(1, 2) == 3\n",
};
const NODE = {
  "add.mjs": "export const add = (a, b) => a + b;\n",
  "add.test.mjs":
    'import { test } from "node:test"; import { add } from "./add.mjs"; test("it", () => { if (add(1, 2) !== 3) throw 1; });\n',
  "more.test.cjs": 'const { test } = require("node:test"); test("more", () => {});\n',
};

it("a report tells what its tests loaded where it is asked to, warm or cold", async () => {
  const { snapshots } = lab.sandbox;
  const suiteOf = async (runner: string, files: Files): Promise<FrozenSuite> => ({
    id: runner,
    author: "someone",
    runner,
    snapshot: await snapshots.put({ files }),
    entries: Object.keys(files).filter((path) => /test/.test(path)),
    tests: [],
  });
  const suites = [await suiteOf("pytest", PYTHON), await suiteOf("node:test", NODE)];
  const all = { ...PYTHON, ...NODE };
  const snapshot = await snapshots.put({ files: { ...all, "unused.py": "" } });
  await using workspace = await lab.sandbox.open({ snapshot, lane: "loads" }, lab.context);

  const runner = testRunner({ loads: true });
  const expected = Object.fromEntries(Object.entries(all).map(([path, text]) => [path, sha256(text)]));
  for (let turn = 0; turn < 3; turn++) {
    const { report } = await runner.run(workspace, suites, lab.context);
    expect(report).toMatchObject({ fault: null, loaded: expected });
    expect(Object.keys(report.loaded ?? {})).toHaveLength(5);
    await workspace.restore(snapshot);
  }
  expect(runner.counts).toMatchObject({ mismatches: 0, faults: 0 });
  const silent = await testRunner().run(workspace, suites, lab.context);
  expect(silent.report).not.toHaveProperty("loaded");
});
