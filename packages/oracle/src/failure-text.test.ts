import type { TestReport, TestResult } from "@swarm/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { failureText } from "./failure-text.ts";

const failing = (id: string, message: string): TestResult => ({
  id,
  file: "t.py",
  status: "failed",
  message,
  errorType: "AssertionError",
  location: "t.py:3",
});

describe("failureText", () => {
  it("tells what a repair needs", () => {
    const passed: TestResult = { ...failing("t.py::test_ok", ""), status: "passed" };
    expect(failureText({ tests: [passed, failing("t.py::test_a", "assert 1 == 2")], fault: null }, 1_000)).toBe(
      "1 of 2 tests failed.\n\nFAILED t.py::test_a\nAssertionError at t.py:3\nassert 1 == 2",
    );
  });

  it("is empty when nothing failed, and tells a fault", () => {
    expect(failureText({ tests: [], fault: null }, 100)).toBe("");
    const fault = {
      code: "NO_TESTS",
      message: "no test ran",
      location: null,
      errorType: null,
      test: null,
      retryable: true,
      infrastructure: false,
    };
    expect(failureText({ tests: [], fault }, 100)).toBe("0 of 0 tests failed.\nNO_TESTS: no test ran");
  });

  it("counts the tests that it has no room for", () => {
    const tests = Array.from({ length: 50 }, (_, n) => failing(`t.py::test_${n}`, "x".repeat(500)));
    const text = failureText({ tests, fault: null }, 1_000);
    expect(text).toContain("test_0");
    expect(text).toMatch(/… and \d+ more failed\.$/);
  });

  it("is never longer than its limit", () => {
    const test = fc.record({ id: fc.string({ maxLength: 300 }), message: fc.string({ maxLength: 2_000 }) });
    fc.assert(
      fc.property(fc.array(test, { maxLength: 20 }), fc.integer({ min: 0, max: 3_000 }), (tests, limit) => {
        const report: TestReport = { tests: tests.map(({ id, message }) => failing(id, message)), fault: null };
        expect(failureText(report, limit).length).toBeLessThanOrEqual(limit);
      }),
    );
  });
});
