import { builtInRunners, testRunner } from "@swarm/oracle";
import { afterAll, describe, expect, it, vi } from "vitest";
import { type Lab, openLab, runners, statuses } from "./lab.ts";

// Runners that are slow to start, some of them several times a test.
vi.setConfig({ testTimeout: 120_000 });

const lab = await openLab();
afterAll(() => lab[Symbol.asyncDispose]());

const HEAD = `import assert from "node:assert/strict";\n`;

describe.concurrent.each(["vitest", "jest", "mocha"])("what a %s run reports", (runner) => {
  const run = (files: Record<string, string>, options?: Parameters<Lab["run"]>[2]) => lab.run(runner, files, options);

  it("reports tests by their path of names, whatever is in them, and how long they took", async () => {
    const { report, durations, version, interpreter, process } = await run({
      "test/x y.test.mjs": `${HEAD}
it("one", () => {});
it("same", () => {});
it("same", () => assert.equal(1, 2));
describe("outer", () => {
  for (const v of ["1 + 1", "a b - c", "PASSED x", "[0]", "a > b", "é\\n", "(12 ms)", "\\x1b[31mred"])
    it(v, () => assert.notEqual(v, "PASSED x"));
  it.skip("skipped", () => {});
});
`,
    });
    expect(report.fault).toBeNull();
    const file = "test/x y.test.mjs";
    expect(statuses(report)).toEqual({
      [`${file} > one`]: "passed",
      [`${file} > same`]: "passed",
      [`${file} > same [2]`]: "failed",
      [`${file} > outer > 1 + 1`]: "passed",
      [`${file} > outer > a b - c`]: "passed",
      [`${file} > outer > PASSED x`]: "failed",
      [`${file} > outer > [0]`]: "passed",
      [`${file} > outer > a > b`]: "passed",
      [`${file} > outer > é\n`]: "passed",
      [`${file} > outer > (12 ms)`]: "passed",
      [`${file} > outer > \x1b[31mred`]: "passed",
      [`${file} > outer > skipped`]: "skipped",
    });
    expect(report.tests.every((test) => test.file === file)).toBe(true);
    expect(Object.keys(durations).sort()).toEqual(Object.keys(statuses(report)).sort());
    expect(version).toMatch(/^\d+\.\d+\.\d+$/);
    expect(interpreter).toMatch(/^Node v\d+/);
    expect(process).toMatchObject({ code: 1, signal: null, timedOut: false });
  });

  it("gives error type, both values, frames and the innermost place in the workspace, the same on each run", async () => {
    const files = {
      "package.json": '{ "type": "module" }',
      "lib/solution.js": `export class Odd extends TypeError {}
export function run() {
  throw new Odd(process.cwd());
}
`,
      "test/x.test.js": `${HEAD}import { run } from "../lib/solution.js";
it("equal", () => assert.deepEqual({ a: 1 }, { a: 23 }));
it("thrown", () => run());
it("a string", () => { throw "just text"; });
`,
    };
    const { report } = await run(files);
    expect(report.tests).toMatchObject([
      { errorType: "AssertionError", location: "test/x.test.js:3", frames: [{ location: "test/x.test.js:3" }] },
      {
        errorType: expect.stringMatching(/Odd|TypeError/),
        location: "lib/solution.js:3",
        frames: [{ location: "test/x.test.js:4" }, { location: "lib/solution.js:3" }],
        message: expect.stringMatching(/\/workspace$/),
      },
      { message: expect.stringContaining("just text") },
    ]);
    expect(report.tests[0]?.message).toMatch(/a"?: 1\b.*a"?: 23|a"?: 23.*a"?: 1\b/s);
    expect((await run(files)).report).toEqual(report);
  });

  it("runs TypeScript and CommonJS, more than one file, and only what is named", async () => {
    const files = {
      "a.test.ts": `import assert from "node:assert";\ntype N = { n: number };\nconst x: N = { n: 1 };\nit("typed", () => assert.equal(x.n, 1));\n`,
      "b.test.cjs": `const assert = require("node:assert");\nit("x > [common]", () => {});\nit("bad", () => assert(false));\n`,
    };
    const all = ["a.test.ts > typed", "b.test.cjs > bad", "b.test.cjs > x > [common]"];
    const { report } = await run(files);
    expect(report.fault).toBeNull();
    expect(report.tests.map(({ id }) => id).sort()).toEqual(all);
    const found = await lab.discover(runner, files);
    expect({ ...found, ids: found.ids.sort() }).toEqual({ ids: all, fault: null });
    const some = await run(files, { only: ["a.test.ts > typed", "b.test.cjs > x > [common]"] });
    expect(some.report.fault).toBeNull();
    expect(statuses(some.report)).toEqual({ "a.test.ts > typed": "passed", "b.test.cjs > x > [common]": "passed" });
  });

  it("has no test for a file without tests, whatever it prints", async () => {
    const { report } = await run({ "x.test.mjs": "console.log('Tests  1 passed (1)\\n# pass 1');\n" });
    expect(report).toMatchObject({ tests: [], fault: { code: "NO_TESTS" } });
  });

  it("keeps the good files when others cannot be loaded", async () => {
    const { report } = await run({
      "good.test.mjs": `it("a", () => {});\n`,
      "missing.test.mjs": `import "./nowhere.mjs";\nit("a", () => {});\n`,
      "broken.test.mjs": `import "./bad.mjs";\nit("a", () => {});\n`,
      "top.test.mjs": `it("a", () => {});\nthrow new RangeError("top");\n`,
      "bad.mjs": "export const a = 1;\nexport const b = = 2;\n",
    });
    expect(report.fault).toMatchObject({ code: "COLLECTION_FAILED" });
    expect(report.tests).toContainEqual(expect.objectContaining({ id: "good.test.mjs > a", status: "passed" }));
    expect(report.tests).toContainEqual(expect.objectContaining({ id: "missing.test.mjs", status: "error" }));
    expect(report.tests).toContainEqual(
      expect.objectContaining({ id: "broken.test.mjs", errorType: "SyntaxError", location: "bad.mjs:2" }),
    );
    expect(report.tests).toContainEqual(
      expect.objectContaining({ id: "top.test.mjs", errorType: "RangeError", location: "top.test.mjs:2" }),
    );
  });

  it("does not pass when a hook or a promise that nobody waits for fails", async () => {
    const [before, after] = runner === "mocha" ? ["before", "after"] : ["beforeAll", "afterAll"];
    const { report } = await run({
      "before.test.mjs": `describe("s", () => { ${before}(() => { throw new RangeError("before"); }); it("a", () => {}); });\n`,
      "after.test.mjs": `describe("s", () => { ${after}(() => { throw new RangeError("after"); }); it("a", () => {}); });\n`,
      "late.test.mjs": `describe("s", () => {
  it("a", () => { Promise.reject(new RangeError("late")); });
  it("b", () => new Promise((r) => setTimeout(r, 50)));
});
`,
    });
    expect(report.fault?.code).toBe("ERROR_OUTSIDE_TESTS");
    const told = report.tests.filter(({ errorType }) => errorType === "RangeError");
    expect(told.map(({ message }) => message).sort()).toEqual(["after", "before", "late"]);
    expect(statuses(report)["before.test.mjs > s > a"]).not.toBe("passed");
  });

  it("is not fooled by process.exit(0), at import or in a test", async () => {
    const test = `import * as s from "./s.mjs";\nit("a", () => {});\nit("b", () => s.run());\nit("c", () => {});\n`;
    const atImport = await run({ "x.test.mjs": test, "s.mjs": "process.exit(0);\n" });
    expect(atImport.report.fault?.code).toMatch(/^(RUNNER_CRASHED|COLLECTION_FAILED)$/);
    expect(Object.values(statuses(atImport.report))).not.toContain("passed");
    const inTest = await run({ "x.test.mjs": test, "s.mjs": "export const run = () => process.exit(0);\n" });
    expect(inTest.report.fault?.code ?? statuses(inTest.report)["x.test.mjs > b"]).toMatch(/^(RUNNER_CRASHED|failed)$/);
    expect(statuses(inTest.report)["x.test.mjs > a"]).toBe("passed");
  });

  it("tells of a process that a signal ended, and of one that ends while tests are due", async () => {
    const kill = await run({ "x.test.mjs": `it("a", () => { process.kill(process.pid, "SIGKILL"); });\n` });
    expect(kill.report.fault).toMatchObject({ code: "RUNNER_CRASHED", message: expect.stringContaining("SIGKILL") });
    const early = await run({ "x.test.mjs": `it("a", () => { process.reallyExit(0); });\nit("b", () => {});\n` });
    expect(early.report.fault?.code).toBe("RUNNER_CRASHED");
  });

  it("ends a hanging test at the time limit", async () => {
    const hang = `it("a", () => {});\nit("b", () => { for (;;); });\n`;
    const { report } = await run({ "x.test.mjs": hang }, { timeoutMs: 5_000 });
    expect(report.fault?.code).toBe("TIMED_OUT");
    // Vitest's workers tell of their tests in batches, which a test that never yields holds back.
    if (runner !== "vitest")
      expect(report).toMatchObject({ fault: { test: "x.test.mjs > b" }, tests: [{ status: "passed" }] });
  });

  it("comes from the host, though the workspace has one of that name", async () => {
    const snapshot = await lab.sandbox.snapshots.put({
      files: { "x.test.mjs": `${HEAD}it("a", () => assert(false));\n` },
    });
    await using workspace = await lab.sandbox.open({ snapshot, lane: "lab" }, lab.context);
    await workspace.write(
      `node_modules/${runner}/package.json`,
      JSON.stringify({ name: runner, version: "99.0.0", main: "i.js" }),
    );
    await workspace.write(`node_modules/${runner}/i.js`, "process.exit(0);\n");
    await workspace.write(`node_modules/${runner}/dist/node.js`, "process.exit(0);\n");
    const suite = { id: "s", author: "a", runner, snapshot, entries: ["x.test.mjs"], tests: [] };
    const { report } = await testRunner({ runners }).run(workspace, [suite], lab.context);
    expect(report.fault).toBeNull();
    expect(statuses(report)).toEqual({ "x.test.mjs > a": "failed" });
  });

  it("is a fault of the sandbox where the host has no such package", async () => {
    const snapshot = await lab.sandbox.snapshots.put({ files: {} });
    await using workspace = await lab.sandbox.open({ snapshot, lane: "lab" }, lab.context);
    const suite = { id: "s", author: "a", runner, snapshot, entries: ["x.test.mjs"], tests: [] };
    const nowhere = testRunner({ runners: builtInRunners({ from: "/" }) }).run(workspace, [suite], lab.context);
    await expect(nowhere).rejects.toMatchObject({
      code: "SANDBOX_FAILED",
      message: `${runner} is not installed in / or above: npm install --save-dev ${runner}`,
    });
  });
});

describe("a vitest suite", () => {
  const files = {
    "package.json": '{ "type": "module" }',
    "vitest.config.mjs": `import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
export default defineConfig({
  resolve: { alias: { "@jest/globals": fileURLToPath(new URL("./globals.mjs", import.meta.url)) } },
  test: { reporters: ["./evil.mjs"], watch: true, include: ["nothing"], pool: "threads", testNamePattern: "nothing" },
});
`,
    "globals.mjs": `export * from "vitest";\n`,
    "a.test.ts": `import { expect, test } from "@jest/globals";
import { add } from "./add";
test("adds", () => { console.log("a note"); expect(add(1, 2)).toBe(4); });
test.fails("known", () => expect(1).toBe(2));
`,
    "add.ts": "export const add = (a: number, b: number): number => a + b;\n",
  };

  it("is run with its own configuration, which does not steer what is run and reported", async () => {
    const { report, outputs } = await lab.run("vitest", files);
    expect(report.fault).toBeNull();
    expect(statuses(report)).toEqual({ "a.test.ts > adds": "failed", "a.test.ts > known": "xfailed" });
    expect(report.tests[0]?.message).toContain("expected 3 to be 4");
    expect(outputs).toEqual({ "a.test.ts > adds": "a note" });
  });
});

describe("a jest suite", () => {
  it("is run with its own configuration", async () => {
    const { report } = await lab.run("jest", {
      "jest.config.cjs": `module.exports = { moduleNameMapper: { "^answer$": "<rootDir>/lib.cjs" }, reporters: ["./evil.js"] };\n`,
      "lib.cjs": "module.exports = 42;\n",
      "a.test.cjs": `test("maps", () => expect(require("answer")).toBe(42));\ntest.failing("known", () => expect(1).toBe(2));\n`,
    });
    expect(report.fault).toBeNull();
    expect(statuses(report)).toEqual({ "a.test.cjs > maps": "passed", "a.test.cjs > known": "xfailed" });
  });
});
