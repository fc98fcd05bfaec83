import { expect, test } from "vitest";
import { faultOf } from "./contracts/fault.ts";
import type { TestResult } from "./contracts/suite.ts";
import { testFault } from "./test-fault.ts";

const result = (id: string, status: TestResult["status"]): TestResult => ({
  id,
  file: "test_a.py",
  status,
  message: status === "passed" ? null : `${id} went wrong`,
  errorType: status === "passed" ? null : "RecursionError",
  location: status === "passed" ? null : "a.py:3",
});
const late = faultOf({ code: "TIMED_OUT", message: "late", test: "c" });

test("all that is well is no fault", () => {
  expect(testFault({ tests: [result("a", "passed")], fault: null })).toBeNull();
});

test("the first failing test is the fault, with how many there are", () => {
  const tests = [result("a", "passed"), result("b", "failed"), result("c", "error")];
  expect(testFault({ tests, fault: null })).toEqual({
    code: "TEST_FAILED",
    message: "b: b went wrong (and 1 more)",
    errorType: "RecursionError",
    location: "a.py:3",
    test: "b",
    retryable: true,
    infrastructure: false,
  });
});

test("a run that broke off has the fault of the test that failed before, and its own where none did", () => {
  const failed = testFault({ tests: [result("a", "passed"), result("b", "failed")], fault: late });
  expect(failed).toMatchObject({ errorType: "RecursionError", test: "b", message: "b: b went wrong; late" });
  expect(testFault({ tests: [result("a", "passed")], fault: late })).toEqual({ ...late, retryable: true });
});

test("a failure of the machinery goes before the tests", () => {
  const broken = faultOf({ code: "SANDBOX_FAILED", message: "no room", infrastructure: true });
  expect(testFault({ tests: [result("b", "failed")], fault: broken })).toEqual({ ...broken, retryable: true });
});
