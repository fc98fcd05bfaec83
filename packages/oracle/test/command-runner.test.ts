import { commandRunner } from "@swarm/oracle";
import { afterAll, describe, expect, it } from "vitest";
import { openLab, statuses } from "./lab.ts";

const lab = await openLab([
  commandRunner({
    name: "pytest by JUnit XML",
    format: "junit",
    argv: ["python3", "-m", "pytest", "-q", "-p", "no:cacheprovider", "--junit-xml={report}", "{entry}"],
    version: ["python3", "-m", "pytest", "--version"],
    isTestFile: (path) => path.startsWith("test_"),
  }),
  commandRunner({
    name: "node by TAP",
    format: "tap",
    argv: ["node", "--test", "--test-reporter=tap", "{entry}"],
    isTestFile: (path) => path.endsWith(".test.mjs"),
  }),
  commandRunner({
    name: "script by TAP",
    format: "tap",
    argv: ["sh", "{entry}"],
    isTestFile: (path) => path.endsWith(".t"),
  }),
  commandRunner({
    name: "script by CTRF",
    format: "ctrf",
    argv: ["sh", "run.sh", "{report}"],
    isTestFile: (path) => path.endsWith(".t"),
  }),
  commandRunner({ name: "nothing", format: "tap", argv: ["no-such-program"], isTestFile: () => true }),
]);
afterAll(() => lab[Symbol.asyncDispose]());

describe("a command that reports in a standard format", () => {
  it("writes JUnit XML into a file, once for each test file", async () => {
    const { report, version, durations } = await lab.run("pytest by JUnit XML", {
      "test_a.py": `import pytest
@pytest.mark.parametrize("v", ["1 + 1", "a b - c", "PASSED x", "[0]", "é"])
def test_p(v): assert v != "PASSED x"
`,
      "test_b.py": "def test_b(): pass\n",
    });
    expect(report.fault).toBeNull();
    expect(statuses(report)).toEqual({
      "test_a.py > test_a > test_p[1 + 1]": "passed",
      "test_a.py > test_a > test_p[a b - c]": "passed",
      "test_a.py > test_a > test_p[PASSED x]": "failed",
      "test_a.py > test_a > test_p[[0]]": "passed",
      "test_a.py > test_a > test_p[\\xe9]": "passed",
      "test_b.py > test_b > test_b": "passed",
    });
    expect(report.tests.map(({ file }) => file)).toContain("test_b.py");
    expect(version).toMatch(/^pytest \d/);
    expect(Object.keys(durations)).toHaveLength(6);
  });

  it("prints TAP, and may be asked for some tests", async () => {
    const files = {
      "x.test.mjs": `import { describe, it } from "node:test";
describe("s", () => { it("a # b", () => {}); it("c", () => { throw new Error("boom"); }); });
`,
    };
    const { report } = await lab.run("node by TAP", files);
    expect(statuses(report)).toEqual({ "x.test.mjs > s > a # b": "passed", "x.test.mjs > s > c": "failed" });
    expect(report.tests[1]?.message).toContain("boom");
    expect(report.fault).toBeNull();
    const some = await lab.run(
      "script by TAP",
      { "a.t": "echo 1..2; echo ok 1 - a; echo ok 2 - b\n" },
      { only: ["a.t > b"] },
    );
    expect(statuses(some.report)).toEqual({ "a.t > b": "passed" });
  });

  it("writes CTRF, whose tests belong to the files that it names", async () => {
    const test = (name: string, filePath: string) => ({ name, status: "passed", duration: 1, filePath });
    const tests = [test("one", "b.t"), test("same", "/workspace/a.t"), test("same", "a.t"), test("else", "other")];
    const report = JSON.stringify({ results: { tool: { name: "x" }, summary: { tests: 4 }, tests } });
    const ran = await lab.run("script by CTRF", {
      "a.t": "",
      "b.t": "",
      "run.sh": "cp ctrf.json $1\n",
      "ctrf.json": report,
    });
    expect(ran.report.fault).toBeNull();
    expect(Object.keys(statuses(ran.report))).toEqual(["b.t > one", "a.t > same", "a.t > same [2]", "a.t > else"]);
  });

  it.each([
    ["prints a summary and no report", "echo '5 passed'\n", "RUNNER_CRASHED"],
    ["prints nothing", "exit 0\n", "RUNNER_CRASHED"],
    ["ends before its plan is done", "echo 1..2; echo ok 1; exit 0\n", "RUNNER_CRASHED"],
    ["runs no test", "echo '1..0 # SKIP nothing to do'\n", "NO_TESTS"],
    ["skips every test", "echo 1..1; echo 'ok 1 # SKIP no'\n", "NO_TESTS"],
    ["says all is well and ends badly", "echo 1..1; echo ok 1; exit 3\n", "EXIT_MISMATCH"],
    ["says a test failed and ends well", "echo 1..1; echo not ok 1\n", "EXIT_MISMATCH"],
    ["is killed", "echo 1..1; echo ok 1; kill -9 $$\n", "RUNNER_CRASHED"],
  ])("is not believed when it %s", async (_, script, code) => {
    const { report } = await lab.run("script by TAP", { "a.t": script });
    expect(report.fault?.code).toBe(code);
  });

  it("keeps what was told before the time limit", async () => {
    const { report } = await lab.run(
      "script by TAP",
      { "a.t": "echo 1..2; echo ok 1 - a; sleep 30\n" },
      { timeoutMs: 500 },
    );
    expect(report.fault?.code).toBe("TIMED_OUT");
    expect(statuses(report)).toEqual({ "a.t > a": "passed" });
  });

  it("is a fault of the sandbox when it cannot be started", async () => {
    await expect(lab.run("nothing", { a: "" })).rejects.toMatchObject({
      code: "SANDBOX_FAILED",
      message: expect.stringContaining("no-such-program cannot be started"),
    });
  });

  it("is judged, and the verdict says that its results could be written by others", async () => {
    const task = {
      id: "say",
      prompt: "Make say.sh say hello.",
      source: { files: { "say.sh": "exit 1\n" } },
      testFiles: {
        "a.t": 'echo 1..1\n[ "$(sh say.sh)" = hello ] && echo ok 1 - says && exit 0\necho not ok 1 - says; exit 1\n',
      },
      oracle: { runner: "script by TAP" },
    };
    const verdict = await lab.verdict(task, { "say.sh": "echo hello\n" });
    expect(verdict).toMatchObject({ outcome: "passed", signals: { testsPassed: 1, testsFailed: 0 } });
    expect(verdict.reasons).toContainEqual(expect.stringMatching(/^report-channel: not made \(script by TAP: /));
    expect((await lab.verdict(task, { "say.sh": "echo no\n" })).outcome).toBe("failed");
  });
});
