import { faultOf, type TestReport, type TestResult, type TestStatus } from "@swarm/core";
import { describe, expect, it } from "vitest";
import { corrected } from "./correction.ts";
import { failuresIn } from "./judge-suites.ts";
import { codeProblem, manifestOf, type QaSuite, QaSuiteSchema, qaSuiteFor, testFileOf } from "./qa-suite.ts";

const suite: QaSuite = {
  runner: "pytest",
  setup: "import a",
  tests: [
    { name: "test_one", criteria: ["AC1"], code: "def test_one():\n    assert a.one() == 1" },
    { name: "test_two", criteria: ["AC2"], code: "@given(1)\ndef test_two(x):\n    assert x" },
  ],
  notes: "",
};
const manifest = manifestOf("T1", suite);
const [ONE, TWO] = manifest.tests.map(({ id }) => id) as [string, string];

const result = (id: string, status: TestStatus): TestResult => {
  return { id, file: null, status, message: null, errorType: null, location: null };
};
const report = (tests: [string, TestStatus][], code?: string): TestReport => ({
  tests: tests.map(([id, status]) => result(id, status)),
  fault: code === undefined ? null : faultOf({ code, message: "it broke off" }),
});

describe("what stands against work", () => {
  it.each<[string, TestReport, string[]]>([
    [
      "nothing when all ran and passed",
      report([
        [ONE, "passed"],
        [TWO, "xpassed"],
      ]),
      [],
    ],
    [
      "nothing when all cases of a test passed",
      report([
        [ONE, "passed"],
        [`${TWO}[1]`, "passed"],
        [`${TWO}[2]`, "passed"],
      ]),
      [],
    ],
    [
      "a failed test",
      report([
        [ONE, "failed"],
        [TWO, "passed"],
      ]),
      [ONE],
    ],
    [
      "one case of a test",
      report([
        [ONE, "passed"],
        [`${TWO}[1]`, "passed"],
        [`${TWO}[2]`, "failed"],
      ]),
      [`${TWO}[2]`],
    ],
    [
      "a skipped test",
      report([
        [ONE, "skipped"],
        [TWO, "passed"],
      ]),
      [ONE],
    ],
    [
      "a test that failed as it was expected to",
      report([
        [ONE, "passed"],
        [TWO, "xfailed"],
      ]),
      [TWO],
    ],
    ["a test that is missing", report([[ONE, "passed"]]), [TWO]],
    [
      "another of a name that begins alike",
      report([
        [ONE, "passed"],
        [`${TWO}_more`, "passed"],
      ]),
      [TWO],
    ],
    ["a run that broke off", report([], "TIMED_OUT"), ["all of the run"]],
    [
      "a run that broke off though all passed",
      report(
        [
          [ONE, "passed"],
          [TWO, "passed"],
        ],
        "CRASHED",
      ),
      ["all of the run"],
    ],
    [
      "what failed before a run broke off, and not what it did not come to",
      report([[ONE, "error"]], "TIMED_OUT"),
      [ONE],
    ],
    ["no test at all", report([]), [ONE, TWO]],
  ])("is %s", (_, tests, failing) => {
    const failures = failuresIn(tests, [manifest]);
    expect(failures.map(({ test }) => test)).toEqual(failing);
    for (const { test, criteria } of failures) if (test.startsWith(TWO)) expect(criteria).toEqual(["AC2"]);
  });
});

describe("a suite of QA", () => {
  it("becomes one file, named after its task", () => {
    expect(testFileOf("T1", suite)).toEqual({
      path: "tests/test_qa_t1.py",
      content: `import a\n\n\n${suite.tests.map(({ code }) => code).join("\n\n\n")}\n`,
    });
    const script = { ...suite, runner: "node:test" as const, setup: "" };
    expect(testFileOf("T12", script).path).toBe("tests/qa_t12.test.mjs");
    expect(manifestOf("T12", script).tests[0]?.id).toBe("tests/qa_t12.test.mjs > test_one");
  });

  it.each<[QaSuite["runner"], string, string, boolean]>([
    ["pytest", "test_a", "def test_a():\n    pass", true],
    ["pytest", "test_a", "@mark\nasync def test_a(x):\n    def test_inner(): pass", true],
    ["pytest", "test_a", "def test_b(): pass", false],
    ["pytest", "test_a", "def test_a(): pass\n\ndef test_b(): pass", false],
    ["pytest", "a", "def a(): pass", false],
    ["node:test", "adds", 'test("adds", () => {});', true],
    ["node:test", 'says "no"', "test('says \"no\"', () => {});", true],
    ["node:test", "adds", 'test("subtracts", () => {});', false],
    ["node:test", "adds", 'test("adds", () => {});\ntest("more", () => {});', false],
  ])("of %s takes as the test %j: %j", (runner, name, code, fits) => {
    expect(codeProblem(runner, name, code) === null).toBe(fits);
  });

  it("has each name once, and a test for each criterion and for no other", () => {
    const twice = { ...suite, tests: [suite.tests[0]!, suite.tests[0]!] };
    expect(QaSuiteSchema.safeParse(twice).error?.issues[0]?.message).toBe("two tests have the name test_one");
    const problem = (criteria: string[]) => qaSuiteFor(criteria).safeParse(suite).error?.issues[0]?.message;
    expect(problem(["AC1", "AC2"])).toBeUndefined();
    expect(problem(["AC1", "AC3"])).toBe("AC2 is no criterion of this task; no test checks AC3");
  });

  it("is corrected test by test", () => {
    const code = "def test_one():\n    assert a.one() == 2";
    const mended = corrected(suite, {
      corrections: [{ test: "test_one", reason: "AC1", code }],
      setup: null,
      notes: "",
    });
    expect(mended).toEqual({ ...suite, tests: [{ ...suite.tests[0], code }, suite.tests[1]] });
  });
});
