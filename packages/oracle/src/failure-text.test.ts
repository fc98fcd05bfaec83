import type { Fault, TestReport, TestResult } from "@swarm/core";
import { faultOf } from "@swarm/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { failureText } from "./failure-text.ts";

const failing = (id: string, message: string, more: Partial<TestResult> = {}): TestResult => ({
  id,
  file: "t.py",
  status: "failed",
  message,
  errorType: "AssertionError",
  location: "t.py:3",
  ...more,
});
const report = (tests: TestResult[], fault: Fault | null = null): TestReport => ({ tests, fault });

describe("failureText", () => {
  it("tells the assertion with both values, and the lines that led to it", () => {
    const passed = failing("t.py::test_ok", "", { status: "passed" });
    const failed = failing("t.py::test_a", "assert 3 == 300\n +  where 3 = add(100, 200)", {
      location: "t.py:4",
      frames: [
        { location: "t.py:4", source: "assert add(100, 200) == 300" },
        { location: "gone.py:1", source: null },
      ],
    });
    expect(failureText(report([passed, failed]), 1_000)).toBe(`1 of 2 tests failed.

FAILED t.py::test_a
AssertionError at t.py:4
assert 3 == 300
 +  where 3 = add(100, 200)
  t.py:4: assert add(100, 200) == 300`);
  });

  it("tells failures of one kind once, with what differs", () => {
    const tests = [
      failing("t.py::test_p[1]", "assert 1 == 10\nmore of it"),
      failing("t.py::test_p[2]", "assert 2 == 20\nmore of it"),
      failing("t.py::test_other", "no", { errorType: "KeyError", location: "s.py:1" }),
      failing("t.py::test_again", "assert 1 == 10\nmore of it"),
      failing("a", "<Odd object at 0x7f00aa11bb22>", { location: null }),
      failing("b", "<Odd object at 0x7f00cc33dd44>", { location: null }),
    ];
    expect(failureText(report(tests), 2_000)).toBe(`6 of 6 tests failed.

FAILED t.py::test_p[1]
AssertionError at t.py:3
assert 1 == 10
more of it
In the same way:
- t.py::test_p[2]: assert 2 == 20
- t.py::test_again

FAILED t.py::test_other
KeyError at s.py:1
no

FAILED a
AssertionError
<Odd object at 0x7f00aa11bb22>
In the same way:
- b`);
  });

  it("is empty when nothing failed, and tells a fault", () => {
    expect(failureText(report([]), 100)).toBe("");
    const none = faultOf({ code: "NO_TESTS", message: "no test ran" });
    expect(failureText(report([], none), 100)).toBe("0 of 0 tests failed.\nNO_TESTS: no test ran");
  });

  it("begins with what could not be loaded", () => {
    const broken = failing("t.py", "SyntaxError: invalid", { status: "error", location: "s.py:2" });
    const fault = faultOf({ code: "COLLECTION_FAILED", message: "t.py could not be loaded", test: "t.py" });
    expect(failureText(report([failing("u.py::test_a", "assert 0"), broken], fault), 500)).toMatch(
      /^2 of 2 tests failed\.\n\nERROR t\.py\nAssertionError at s\.py:2\nSyntaxError: invalid\n\nFAILED u\.py/,
    );
  });

  it("leaves out noise and a machine's own paths", () => {
    const message = `expected 1
    at run (node:internal/process:1:2)
    at x (/srv/app/node_modules/.pnpm/mocha@11.8.0/node_modules/mocha/lib/runner.js:5:6)
    at solve (/workspace/lib/s.js:3:4)
error in /opt/python/lib/python3.11/json/decoder.py and /opt/v/site-packages/numpy/core.py
same
same
same
  ...Full output truncated (12 lines hidden), use '-vv' to show
  Use -v to get more diff`;
    expect(failureText(report([failing("a", message)]), 1_000)).toContain(`
expected 1
    at solve (lib/s.js:3:4)
error in json/decoder.py and numpy/core.py
same (3 times)`);
    expect(failureText(report([failing("a", message)]), 1_000)).not.toMatch(/node:|\.pnpm|opt|-v/);
  });

  it("shortens long messages in their middle, and counts the kinds that it has no room for", () => {
    const long = failing("a", `begin ${"x".repeat(5_000)} end`, {
      frames: [{ location: "t.py:3", source: "assert a" }],
    });
    const text = failureText(report([long]), 1_000);
    expect(text).toMatch(/begin x+\n\[… \d+ characters left out …\]\nx+ end\n {2}t\.py:3: assert a$/);
    expect(text.length).toBeGreaterThan(900);
    const tests = Array.from({ length: 50 }, (_, n) =>
      failing(`t.py::test_${n}`, "x".repeat(500), { location: `t.py:${n}` }),
    );
    expect(failureText(report(tests), 1_000)).toMatch(/test_0.*… and \d+ more failed\.$/s);
    const same = Array.from({ length: 500 }, (_, n) => failing(`t.py::test_${n}`, `assert ${n} == 0`));
    expect(failureText(report(same), 1_000)).toMatch(/test_0.*- t\.py::test_1: assert 1 == 0.*- and \d+ more$/s);
  });

  it("is never longer than its limit, and the same for the same report", () => {
    const line = fc.oneof(
      fc.string({ maxLength: 300 }),
      fc.constantFrom("same", "    at x (node:a:1:2)", "🙂".repeat(40)),
    );
    const test = fc.record({
      id: fc.string({ maxLength: 400 }),
      message: fc.array(line, { maxLength: 20 }).map((lines) => lines.join("\n")),
      location: fc.option(fc.constantFrom("a.py:1", "b.py:2", `${"long/".repeat(60)}c.py:3`)),
      frames: fc.array(fc.record({ location: fc.constantFrom("a.py:1", "b.py:2"), source: fc.option(line) }), {
        maxLength: 12,
      }),
    });
    const faults = fc.option(line.map((message) => faultOf({ code: "TIMED_OUT", message })));
    fc.assert(
      fc.property(
        fc.array(test, { maxLength: 20 }),
        faults,
        fc.integer({ min: 0, max: 3_000 }),
        (tests, fault, limit) => {
          const made = report(
            tests.map(({ id, message, ...more }) => failing(id, message, more)),
            fault,
          );
          const text = failureText(made, limit);
          expect(text.length).toBeLessThanOrEqual(limit);
          expect(failureText(made, limit)).toBe(text);
          expect(text === "").toBe(limit === 0 || (tests.length === 0 && fault === null));
        },
      ),
    );
  });
});
