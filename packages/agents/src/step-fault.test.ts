import type { FrozenSuite, TestReport, TestResult, TestStatus } from "@swarm/core";
import { faultOf } from "@swarm/core";
import { describe, expect, it } from "vitest";
import { stepFault } from "./step-fault.ts";

function report(statuses: Record<string, TestStatus>, code?: string): TestReport {
  const tests = Object.entries(statuses).map(([id, status]): TestResult => {
    const bad = status === "failed" || status === "error";
    return { id, file: null, status, message: bad ? `${id} is wrong` : null, errorType: null, location: null };
  });
  return { tests, fault: code === undefined ? null : faultOf({ code, message: "the run broke off" }) };
}
const suite = (...tests: string[]): FrozenSuite[] => [
  { id: "given", author: "task", runner: "pytest", snapshot: "s", entries: [], tests },
];

describe("what stands against the last step of a plan", () => {
  it.each([
    ["nothing when all passed", report({ a: "passed", b: "passed" }), null],
    [
      "a failed test, one of all that ran",
      report({ a: "passed", b: "failed" }),
      { code: "TEST_FAILED", test: "b", message: expect.stringContaining("1 of 2 tests failed") },
    ],
    ["an error", report({ a: "error", b: "passed" }), { test: "a", message: expect.stringContaining("a is wrong") }],
    ["a failed test that is not required", report({ a: "passed", b: "passed", c: "failed" }), { test: "c" }],
    ["a required test that was skipped", report({ a: "passed", b: "skipped" }), { test: "b", retryable: true }],
    [
      "a required test that is not there",
      report({ b: "passed" }),
      { test: "a", message: expect.stringMatching(/did not run/) },
    ],
    ["a run that broke off", report({ a: "passed" }, "TIMED_OUT"), { code: "TIMED_OUT", retryable: true }],
    ["no test at all", report({}, "NO_TESTS"), { code: "NO_TESTS" }],
  ])("%s", (_, after, fault) => {
    const found = stepFault(after, suite("a", "b"), null);
    if (fault === null) expect(found).toBeNull();
    else expect(found).toMatchObject(fault);
  });
});

describe("what stands against an earlier step", () => {
  const before = report({ a: "passed", b: "failed", c: "skipped" });
  it.each([
    ["nothing when what passed still passes", report({ a: "passed", b: "failed", c: "skipped" }), null],
    ["nothing when more passes", report({ a: "passed", b: "passed" }), null],
    ["nothing for another test that fails", report({ a: "passed", b: "error", d: "failed" }), null],
    ["nothing when the run broke off after what passed", report({ a: "passed" }, "TIMED_OUT"), null],
    ["a test that passed and fails", report({ a: "failed", b: "failed" }), { code: "TEST_FAILED", test: "a" }],
    ["a test that passed and is skipped", report({ a: "skipped" }), { test: "a" }],
    ["a test that passed and is gone", report({ b: "passed" }), { test: "a" }],
    ["a run that broke off before what passed", report({}, "COLLECTION_FAILED"), { code: "COLLECTION_FAILED" }],
  ])("%s", (_, after, fault) => {
    const found = stepFault(after, suite("a", "b", "c"), before);
    if (fault === null) expect(found).toBeNull();
    else expect(found).toMatchObject(fault);
    if (found?.code === "TEST_FAILED") expect(found.message).not.toContain("b is wrong");
  });

  it("is nothing when nothing passed before", () => {
    expect(stepFault(report({}, "COLLECTION_FAILED"), suite("a"), report({}, "COLLECTION_FAILED"))).toBeNull();
  });
});
