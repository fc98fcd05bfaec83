import { faultOf, type TestResult } from "@swarm/core";
import { afterAll, expect, test } from "vitest";
import { benches } from "../test/bench.ts";
import { runTests } from "./run-tests.ts";

const bench = benches(afterAll);

const result = (id: string, status: TestResult["status"], more: Partial<TestResult> = {}): TestResult => ({
  id,
  file: id.split("::")[0] ?? null,
  status,
  message: null,
  errorType: null,
  location: null,
  ...more,
});

test("passing tests are counted", async () => {
  const tests = [result("t.py::a", "passed"), result("t.py::b", "passed"), result("t.py::c", "xfailed")];
  await using desk = await bench({}, { report: { tests, fault: null } });
  expect(await desk.call(runTests, {})).toEqual({ ok: true, output: "3 tests: 2 passed, 1 xfailed." });
});

test("failures are told with their place, error and message", async () => {
  const failed = result("t.py::b", "failed", {
    errorType: "AssertionError",
    location: "t.py:7",
    message: "assert 1 == 2",
  });
  await using desk = await bench({}, { report: { tests: [result("t.py::a", "passed"), failed], fault: null } });
  expect(await desk.call(runTests, {})).toEqual({
    ok: false,
    output: "2 tests: 1 failed, 1 passed.\n\nFAILED t.py::b at t.py:7 AssertionError\nassert 1 == 2",
  });
});

test("T14: no test is no success, and a fault of the run is told first", async () => {
  await using none = await bench();
  expect(await none.call(runTests, {})).toEqual({ ok: false, output: "No test ran." });
  const fault = faultOf({ code: "CRASHED", message: "pytest ended with SIGSEGV" });
  await using crashed = await bench({}, { report: { tests: [result("t.py::a", "passed")], fault } });
  expect(await crashed.call(runTests, {})).toEqual({
    ok: false,
    output: "1 tests: 1 passed.\n\nThe run as a whole does not count: CRASHED: pytest ended with SIGSEGV",
  });
});

test("many and long failures are bounded", async () => {
  const tests = Array.from({ length: 500 }, (_, index) =>
    result(`t.py::${index}`, "error", { message: "x".repeat(100_000) }),
  );
  await using desk = await bench({}, { report: { tests, fault: null } });
  const { output } = await desk.call(runTests, {});
  expect(output.length).toBeLessThan(24_200);
  expect(output.match(/^ERROR /gm)).toHaveLength(10);
  expect(output).toMatch(/Failed too:\nt\.py::10\n.*\n\nand 440 more$/s);
});
