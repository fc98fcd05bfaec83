import { afterAll, describe, expect, it } from "vitest";
import { type Lab, openLab, statuses } from "./lab.ts";

const lab = await openLab();
afterAll(() => lab[Symbol.asyncDispose]());
const node = (files: Record<string, string>, options?: Parameters<Lab["report"]>[2]) =>
  lab.report("node:test", files, options);

const HEAD = `import assert from "node:assert/strict";\nimport { before, describe, it, test } from "node:test";\n`;

describe("what a node:test run reports", () => {
  it("reports tests by their path of names, and no suites or files", async () => {
    const report = await node({
      "x.test.mjs": `${HEAD}
test("one", () => {});
test("same", () => {});
test("same", () => assert.equal(1, 2));
describe("outer", () => {
  it("in", () => {});
  describe("deep", () => { it("1 + 1 > 0 - x", () => {}); });
  it.skip("skipped", () => {});
  it.todo("to do", () => { throw new Error("not yet"); });
});
test("parent", async (t) => { await t.test("child", () => {}); });
`,
    });
    expect(report.fault).toBeNull();
    expect(statuses(report)).toEqual({
      "x.test.mjs > one": "passed",
      "x.test.mjs > same": "passed",
      "x.test.mjs > same [2]": "failed",
      "x.test.mjs > outer > in": "passed",
      "x.test.mjs > outer > deep > 1 + 1 > 0 - x": "passed",
      "x.test.mjs > outer > skipped": "skipped",
      "x.test.mjs > outer > to do": "xfailed",
      "x.test.mjs > parent": "passed",
      "x.test.mjs > parent > child": "passed",
    });
  });

  it("gives error type, message and the innermost place in the workspace, the same on each run", async () => {
    const files = {
      "lib/solution.mjs":
        "export class Odd extends Error {}\nexport function run() {\n  throw new Odd(process.cwd());\n}\n",
      "test/x.test.mjs": `${HEAD}import { run } from "../lib/solution.mjs";
test("equal", () => assert.equal(1, 2));
test("thrown", () => run());
test("a string", () => { throw "just text"; });
`,
    };
    const report = await node(files);
    expect(report.tests).toMatchObject([
      { errorType: "AssertionError", location: "test/x.test.mjs:4", file: "test/x.test.mjs" },
      { errorType: "Odd", location: "lib/solution.mjs:3", message: "/workspace" },
      { errorType: null, location: "test/x.test.mjs:6", message: "just text" },
    ]);
    expect(report.tests[0]?.message).toContain("1 !== 2");
    expect(await node(files)).toEqual(report);
  });

  it("runs TypeScript test files, and more than one file", async () => {
    const report = await node({
      "a.test.ts": `${HEAD}type N = { n: number };\nconst x: N = { n: 1 };\ntest("typed", () => assert.equal(x.n, 1));\n`,
      "b.test.cjs": `require("node:test").test("common", () => {});\n`,
    });
    expect(report.fault).toBeNull();
    expect(statuses(report)).toEqual({ "a.test.ts > typed": "passed", "b.test.cjs > common": "passed" });
  });
});

describe("a node:test run that cannot be believed", () => {
  it("does not count a file without tests as a test", async () => {
    const report = await node({ "x.test.mjs": "console.log('# tests 1\\n# pass 1');\n" });
    expect(report).toMatchObject({ tests: [], fault: { code: "NO_TESTS" } });
  });

  it.each([
    ["a missing module", `import "./nowhere.mjs";\n`, "x.test.mjs", null],
    ["a syntax error in what it imports", `import "./bad.mjs";\n`, "x.test.mjs", "bad.mjs:2"],
    [
      "an error after its first tests",
      `import { test } from "node:test";\ntest("a", () => {});\nthrow new Error("top");\n`,
      "x.test.mjs",
      "x.test.mjs:3",
    ],
    [
      "an error in a suite",
      `import { describe } from "node:test";\ndescribe("s", () => { throw new Error("top"); });\n`,
      "x.test.mjs > s",
      "x.test.mjs:2",
    ],
  ])("has a fault for a file with %s", async (_, body, id, location) => {
    const report = await node({ "x.test.mjs": body, "bad.mjs": "export const a = 1;\nexport const b = = 2;\n" });
    expect(report.fault).toMatchObject({ test: id, location });
    expect(report.tests).toContainEqual(expect.objectContaining({ id, status: "error", location }));
  });

  it("has a fault for a failing hook of a suite and for an error after a test's end", async () => {
    const hook = `${HEAD}describe("s", () => { before(() => { throw new RangeError("hook"); }); it("a", () => {}); });\n`;
    expect((await node({ "x.test.mjs": hook })).fault).toMatchObject({
      code: "ERROR_OUTSIDE_TESTS",
      errorType: "RangeError",
    });
    const late = `${HEAD}test("a", () => { Promise.reject(new Error("later")); });\ntest("b", () => new Promise((r) => setTimeout(r, 20)));\n`;
    expect((await node({ "x.test.mjs": late })).fault).toMatchObject({
      code: "ERROR_OUTSIDE_TESTS",
      message: expect.stringContaining("later"),
    });
  });

  it("is not fooled by process.exit(0), at import or in a test", async () => {
    const test = `import * as s from "./s.mjs";\nimport { test } from "node:test";\ntest("a", () => {});\ntest("b", () => s.run());\ntest("c", () => {});\n`;
    const atImport = await node({ "x.test.mjs": test, "s.mjs": "process.exit(0);\n" });
    expect(atImport).toMatchObject({ tests: [], fault: { code: "RUNNER_CRASHED" } });
    const inTest = await node({ "x.test.mjs": test, "s.mjs": "export const run = () => process.exit(0);\n" });
    expect(inTest.fault).toMatchObject({ code: "RUNNER_CRASHED", test: "x.test.mjs > b" });
    expect(statuses(inTest)).toEqual({ "x.test.mjs > a": "passed" });
  });

  it("notices foreign text in the report's channel", async () => {
    const report = await node({
      "x.test.mjs": `import fs from "node:fs";\nimport { test } from "node:test";\ntest("a", () => { fs.writeSync(3, '{"kind":"end"}\\n'); });\n`,
    });
    expect(report.fault?.code).toBe("REPORT_FORGED");
  });

  it("notices an exit code that was changed behind the runner", async () => {
    const report = await node({
      "x.test.mjs": `import assert from "node:assert";\nimport { test } from "node:test";\nprocess.on("exit", () => { process.exitCode = 0; });\ntest("a", () => assert(false));\n`,
    });
    expect(report.fault?.code).toBe("EXIT_MISMATCH");
  });

  it("ends a hanging test at the time limit, names it, and runs no further file", async () => {
    const report = await node(
      {
        "a.test.mjs": `import { test } from "node:test";\ntest("a", () => {});\ntest("b", () => { for (;;); });\n`,
        "b.test.mjs": `import { test } from "node:test";\ntest("c", () => {});\n`,
      },
      { timeoutMs: 100 },
    );
    expect(report.fault).toMatchObject({ code: "TIMED_OUT", test: "a.test.mjs > b" });
    expect(statuses(report)).toEqual({ "a.test.mjs > a": "passed" });
  });
});

it("refuses a runner that it does not know", async () => {
  await expect(lab.report("nose", {})).rejects.toMatchObject({
    code: "INVALID_INPUT",
    field: "suites[0].runner",
    message: expect.stringContaining("pytest, node:test"),
  });
});
