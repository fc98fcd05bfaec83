import { failureText } from "@swarm/oracle";
import { afterAll, expect, it, vi } from "vitest";
import { openLab } from "./lab.ts";

// Runners that are slow to start, some of them several times a test.
vi.setConfig({ testTimeout: 120_000 });

const lab = await openLab();
afterAll(() => lab[Symbol.asyncDispose]());

it("condenses a pytest run: both values, the lines that led there, equal failures once", async () => {
  const report = await lab.report("pytest", {
    "solution.py": "def add(a, b):\n    return check(a - b)\n\ndef check(n):\n    assert n > -9, n\n    return n\n",
    "test_add.py": `import unittest
import pytest
from solution import add

@pytest.mark.parametrize("n", [1, 2, 3])
def test_sum(n): assert add(n, 1) == n + 1

class T(unittest.TestCase):
    def test_zero(self):
        self.assertEqual(add(0, 1), 1)

def test_far(): add(1, 20)
`,
  });
  expect(failureText(report, 2_000)).toBe(`5 of 5 tests failed.

FAILED test_add.py::test_sum[1]
AssertionError at test_add.py:6
assert 0 == (1 + 1)
 +  where 0 = add(1, 1)
  test_add.py:6: def test_sum(n): assert add(n, 1) == n + 1
In the same way:
- test_add.py::test_sum[2]: assert 1 == (2 + 1)
- test_add.py::test_sum[3]: assert 2 == (3 + 1)

FAILED test_add.py::T::test_zero
AssertionError at test_add.py:10
-1 != 1
  test_add.py:10: self.assertEqual(add(0, 1), 1)

FAILED test_add.py::test_far
AssertionError at solution.py:5
-19
  test_add.py:12: def test_far(): add(1, 20)
  solution.py:2: return check(a - b)
  solution.py:5: assert n > -9, n`);
});

it.each(["node:test", "vitest", "jest", "mocha"])("condenses a %s run", async (runner) => {
  const imports = runner === "node:test" ? 'import { test } from "node:test";\n' : "";
  const report = await lab.report(runner, {
    "add.mjs":
      "export function add(a, b) {\n  if (a > 9) throw new RangeError('too large: ' + a);\n  return a - b;\n}\n",
    "add.test.mjs": `${imports}import assert from "node:assert/strict";
import { add } from "./add.mjs";
const it = globalThis.it ?? test;
it("sums", () => assert.equal(add(5, 7), 12));
it("large", () => { add(10, 1); });
`,
  });
  const text = failureText(report, 2_000);
  const line = imports === "" ? 4 : 5;
  expect(text).toMatch(/^2 of 2 tests failed\.\n\nFAILED add\.test\.mjs > sums\nAssertionError at add\.test\.mjs:\d\n/);
  expect(text).toContain("-2");
  expect(text).toContain("12");
  expect(text).toContain(`  add.test.mjs:${line}: it("sums", () => assert.equal(add(5, 7), 12));`);
  expect(text).toContain(`FAILED add.test.mjs > large
RangeError at add.mjs:2
too large: 10
  add.test.mjs:${line + 1}: it("large", () => { add(10, 1); });
  add.mjs:2: if (a > 9) throw new RangeError('too large: ' + a);`);
  expect(text).not.toMatch(/node_modules|node:internal|\/workspace/);
});
