import type { FrozenSuite, TestReport, TestResult, TestStatus } from "@swarm/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { judge } from "./judge.ts";

const suite = (...tests: string[]): FrozenSuite => ({
  id: "s",
  author: "a",
  runner: "pytest",
  snapshot: "x",
  entries: ["t.py"],
  tests,
});
const result = (id: string, status: TestStatus): TestResult => ({
  id,
  file: "t.py",
  status,
  message: null,
  errorType: null,
  location: null,
});
const report = (...tests: [string, TestStatus][]): TestReport => ({
  tests: tests.map(([id, status]) => result(id, status)),
  fault: null,
});

describe("judge", () => {
  it.each<[string, string[], [string, TestStatus][], boolean]>([
    [
      "each required test passed",
      ["a", "b"],
      [
        ["a", "passed"],
        ["b", "passed"],
      ],
      true,
    ],
    ["one is missing", ["a", "b"], [["a", "passed"]], false],
    ["one was skipped", ["a"], [["a", "skipped"]], false],
    ["one failed as expected", ["a"], [["a", "xfailed"]], false],
    ["one passed against expectation", ["a"], [["a", "xpassed"]], true],
    [
      "one was reported twice",
      ["a"],
      [
        ["a", "passed"],
        ["a", "passed"],
      ],
      false,
    ],
    [
      "another test failed",
      ["a"],
      [
        ["a", "passed"],
        ["b", "failed"],
      ],
      false,
    ],
    [
      "another test ended with an error",
      ["a"],
      [
        ["a", "passed"],
        ["b", "error"],
      ],
      true,
    ],
    [
      "another test was skipped",
      ["a"],
      [
        ["a", "passed"],
        ["b", "skipped"],
      ],
      true,
    ],
    ["nothing ran", [], [], false],
    ["all passed without a manifest", [], [["a", "passed"]], true],
    [
      "one was skipped without a manifest",
      [],
      [
        ["a", "passed"],
        ["b", "skipped"],
      ],
      false,
    ],
    [
      "one had an error without a manifest",
      [],
      [
        ["a", "passed"],
        ["b", "error"],
      ],
      false,
    ],
  ])("when %s", (_, required, results, passed) => {
    expect(judge(suite(...required), report(...results)).passed).toBe(passed);
  });

  it("never passes a report with a fault, or one that lacks a required pass", () => {
    const status = fc.constantFrom<TestStatus>("passed", "failed", "skipped", "error", "xfailed", "xpassed");
    const results = fc.array(fc.tuple(fc.constantFrom("a", "b", "c"), status), { maxLength: 6 });
    fc.assert(
      fc.property(results, fc.subarray(["a", "b", "c"]), fc.boolean(), (tests, required, faulty) => {
        const fault = faulty
          ? {
              code: "X",
              message: "x",
              location: null,
              errorType: null,
              test: null,
              retryable: true,
              infrastructure: false,
            }
          : null;
        const { passed } = judge(suite(...required), { ...report(...tests), fault });
        if (!passed) return;
        expect(fault).toBeNull();
        expect(tests.some(([, status]) => status === "failed")).toBe(false);
        for (const id of required) {
          expect(tests.filter(([name]) => name === id).map(([, status]) => status)).toEqual([
            expect.stringMatching(/^x?passed$/),
          ]);
        }
      }),
    );
  });
});
