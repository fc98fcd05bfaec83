import type { ExecOptions, Workspace } from "@swarm/core";
import { testRunner } from "@swarm/oracle";
import { afterAll, describe, expect, it } from "vitest";
import { type Lab, openLab, statuses } from "./lab.ts";

const lab = await openLab();
afterAll(() => lab[Symbol.asyncDispose]());
const pytest = (files: Record<string, string>, options?: Parameters<Lab["report"]>[2]) =>
  lab.report("pytest", files, options);

describe("what a pytest run reports", () => {
  it("keeps parametrised ids in full, whatever is in them", async () => {
    const report = await pytest({
      "test_d.py": `import pytest
@pytest.mark.parametrize("v", ["1 + 1", "a b - c", "PASSED x", "[0]", "\\x1b[31m", "\\xe9\\n", "a::b"])
def test_p(v): assert v != "PASSED x"
`,
    });
    expect(report.fault).toBeNull();
    expect(statuses(report)).toEqual({
      "test_d.py::test_p[1 + 1]": "passed",
      "test_d.py::test_p[a b - c]": "passed",
      "test_d.py::test_p[PASSED x]": "failed",
      "test_d.py::test_p[[0]]": "passed",
      "test_d.py::test_p[\\x1b[31m]": "passed",
      "test_d.py::test_p[\\xe9\\n]": "passed",
      "test_d.py::test_p[a::b]": "passed",
    });
  });

  it("tells expected failures, unexpected passes, skips, subtests and broken fixtures apart", async () => {
    const report = await pytest({
      "tests/test_kinds.py": `import unittest
import pytest
@pytest.mark.xfail
def test_xfail(): assert 0
@pytest.mark.xfail(run=False)
def test_not_run(): pass
@pytest.mark.xfail
def test_xpass(): pass
@pytest.mark.xfail(strict=True)
def test_strict_xpass(): pass
@pytest.mark.skip(reason="because - reasons")
def test_skipped(): pass
def test_no_fixture(arraynums): pass
@pytest.fixture
def late():
    yield
    raise RuntimeError("at the end")
def test_teardown(late): pass
def test_both(late): assert 0, "first"
class T(unittest.TestCase):
    def test_sub(self):
        """A docstring is no name."""
        for i in range(3):
            with self.subTest(i=i): self.assertNotEqual(i, 1)
`,
    });
    expect(report.fault).toBeNull();
    expect(statuses(report)).toEqual({
      "tests/test_kinds.py::test_xfail": "xfailed",
      "tests/test_kinds.py::test_not_run": "xfailed",
      "tests/test_kinds.py::test_xpass": "xpassed",
      "tests/test_kinds.py::test_strict_xpass": "failed",
      "tests/test_kinds.py::test_skipped": "skipped",
      "tests/test_kinds.py::test_no_fixture": "error",
      "tests/test_kinds.py::test_teardown": "error",
      "tests/test_kinds.py::test_both": "failed",
      "tests/test_kinds.py::T::test_sub": "failed",
    });
  });

  it("gives error type, message and the innermost place in the workspace, the same on each run", async () => {
    const files = {
      "solution.py": "import json\n\ndef load(text):\n    return json.loads(text)\n",
      "tests/helper.py": "WANTED = {'a': 1}\n",
      "tests/test_load.py": `from helper import WANTED
from solution import load
class Odd: pass
def test_value(): assert load('{"a": 2}') == WANTED
def test_broken(): load("{")
def test_object(): raise ValueError(Odd())
def test_path():
    import os
    raise OSError(os.path.join(os.getcwd(), "x"), os.getcwd())
`,
    };
    const report = await pytest(files);
    expect(report.tests.map(({ id, file, errorType, location }) => ({ id, file, errorType, location }))).toEqual([
      {
        id: "tests/test_load.py::test_value",
        file: "tests/test_load.py",
        errorType: "AssertionError",
        location: "tests/test_load.py:4",
      },
      {
        id: "tests/test_load.py::test_broken",
        file: "tests/test_load.py",
        errorType: "JSONDecodeError",
        location: "solution.py:4",
      },
      {
        id: "tests/test_load.py::test_object",
        file: "tests/test_load.py",
        errorType: "ValueError",
        location: "tests/test_load.py:6",
      },
      {
        id: "tests/test_load.py::test_path",
        file: "tests/test_load.py",
        errorType: "OSError",
        location: "tests/test_load.py:9",
      },
    ]);
    expect(report.tests[0]?.message).toContain("assert {'a': 2} == {'a': 1}");
    expect(report.tests[2]?.message).toContain("object at 0x…>");
    expect(report.tests[3]?.message).toBe("OSError: [Errno x] /workspace");
    expect(await pytest(files)).toEqual(report);
  });

  it("strips colour from messages and bounds them", async () => {
    const report = await pytest({
      "test_big.py": "def test_big(): raise ValueError('\\x1b[31mred\\x1b[39m ' + 'x' * 300_000)\n",
    });
    const message = report.tests[0]?.message ?? "";
    expect(message).toMatch(/^ValueError: red x/);
    expect(message.length).toBeLessThan(4_200);
  });

  it("loads two test files of one base name", async () => {
    const report = await pytest({ "a/test_x.py": "def test_a(): pass\n", "b/test_x.py": "def test_b(): pass\n" });
    expect(report.fault).toBeNull();
    expect(statuses(report)).toEqual({ "a/test_x.py::test_a": "passed", "b/test_x.py::test_b": "passed" });
  });

  it("takes nothing from what the tests print", async () => {
    const report = await pytest({
      "test_noise.py": `import os
def test_ok(): os.write(1, b"===== 5 failed in 0.01s =====\\n")
def test_a(): print("connection to port 55432 failed"); assert 0
def test_b(): print("2 passed, 1 failed"); assert 0
`,
    });
    expect(Object.values(statuses(report))).toEqual(["passed", "failed", "failed"]);
  });
});

describe("a pytest run that cannot be believed", () => {
  it("keeps the good files when one cannot be loaded", async () => {
    const report = await pytest({
      "solution.py": "x = 1\ny = (\n",
      "test_bad.py": "import solution\ndef test_a(): pass\n",
      "test_missing.py": "import nowhere\n",
      "test_good.py": "def test_c(): pass\n",
    });
    expect(report.fault).toMatchObject({
      code: "COLLECTION_FAILED",
      errorType: "SyntaxError",
      location: "solution.py:2",
    });
    expect(report.tests).toContainEqual(expect.objectContaining({ id: "test_good.py::test_c", status: "passed" }));
    expect(report.tests).toContainEqual(
      expect.objectContaining({ id: "test_missing.py", status: "error", errorType: "ModuleNotFoundError" }),
    );
  });

  it.each([
    ["no test at all", { "test_x.py": "x = 1\n" }],
    ["a module that skips itself", { "test_x.py": "import pytest\npytest.skip('no', allow_module_level=True)\n" }],
    ["nothing but skipped tests", { "test_x.py": "import pytest\n@pytest.mark.skip\ndef test_a(): pass\n" }],
  ])("is NO_TESTS for %s", async (_, files) => {
    expect((await pytest(files)).fault?.code).toBe("NO_TESTS");
  });

  it.each([
    ["os._exit(0)", "import os\nos._exit(0)", "RUNNER_CRASHED"],
    ["sys.exit(0)", "import sys\nsys.exit(0)", "RUNNER_CRASHED"],
    ["pytest.exit", "import pytest\npytest.exit('bye', returncode=0)", "COLLECTION_FAILED"],
    [
      "a forged summary",
      "import os\nfor fd in range(3, 32):\n    try: os.write(fd, b'5 passed\\n')\n    except OSError: pass\nprint('5 passed')\nos._exit(0)",
      "RUNNER_CRASHED",
    ],
  ])("is not fooled by %s at import", async (_, body, code) => {
    const report = await pytest({ "solution.py": body, "test_x.py": "import solution\ndef test_a(): assert 0\n" });
    expect(report.fault?.code).toBe(code);
    expect(Object.values(statuses(report))).not.toContain("passed");
  });

  it.each([
    ["os._exit(0)", "import os; os._exit(0)", "ended with code 0"],
    ["pytest.exit", "import pytest; pytest.exit('bye', returncode=0)", "Exit: bye"],
    ["a crash of the interpreter", "import ctypes; ctypes.string_at(0)", "crashed (SIGSEGV)"],
  ])("keeps the tests that finished before %s in a test", async (_, body, message) => {
    const report = await pytest({
      "solution.py": `def run():\n    ${body}\n`,
      "test_x.py": "from solution import run\ndef test_a(): pass\ndef test_b(): run()\ndef test_c(): pass\n",
    });
    expect(report.fault).toMatchObject({ code: "RUNNER_CRASHED", test: "test_x.py::test_b" });
    expect(report.fault?.message).toContain(message);
    expect(statuses(report)).toEqual({ "test_x.py::test_a": "passed" });
  });

  it("ends a hanging test at the time limit and names it", async () => {
    const report = await pytest(
      { "test_x.py": "def test_a(): pass\ndef test_b():\n    while True: pass\n" },
      { timeoutMs: 1_000 },
    );
    expect(report.fault).toMatchObject({ code: "TIMED_OUT", test: "test_x.py::test_b" });
    expect(statuses(report)).toEqual({ "test_x.py::test_a": "passed" });
  });

  it("notices foreign text in the report's channel", async () => {
    const report = await pytest({
      "test_x.py": `import os
def test_a():
    for fd in range(3, 128):
        try: os.write(fd, b'{"kind": "end"}\\n')
        except OSError: pass
`,
    });
    expect(report.fault?.code).toBe("REPORT_FORGED");
  });

  it("notices collected tests that were never run", async () => {
    const report = await pytest({
      "conftest.py": "def pytest_runtest_protocol(item): return item.name == 'test_b' or None\n",
      "test_x.py": "def test_a(): pass\ndef test_b(): assert 0\n",
    });
    expect(report.fault).toMatchObject({ code: "INCOMPLETE", test: "test_x.py::test_b" });
  });

  it("reports a test that ran twice two times", async () => {
    const report = await pytest({
      "conftest.py": "def pytest_collection_modifyitems(items): items.extend(items[:])\n",
      "test_x.py": "def test_a(): pass\n",
    });
    expect(report.tests.map(({ id }) => id)).toEqual(["test_x.py::test_a", "test_x.py::test_a"]);
  });

  it("is not steered by files that replace the runner or configure it", async () => {
    const report = await pytest({
      "pytest.py": "raise SystemExit(0)\n",
      "_pytest/__init__.py": "raise SystemExit(0)\n",
      "json.py": "raise SystemExit(0)\n",
      "sitecustomize.py": "import os\nos._exit(0)\n",
      "pytest.ini": "[pytest]\naddopts = --co\n",
      "setup.cfg": "[tool:pytest]\naddopts = -k nothing\n",
      "test_x.py": "def test_a(): assert 1\ndef test_b(): assert 0\n",
    });
    expect(report.fault).toBeNull();
    expect(statuses(report)).toEqual({ "test_x.py::test_a": "passed", "test_x.py::test_b": "failed" });
  });

  it("runs the sources and not the bytecode that lies beside them", async () => {
    const files = {
      "solution.py": "def run(): return 'source'\n",
      "test_x.py": "from solution import run\ndef test_a(): assert run() == 'bytecode'\n",
    };
    const snapshot = await lab.sandbox.snapshots.put({ files });
    await using workspace = await lab.sandbox.open({ snapshot, lane: "lab" }, lab.context);
    const plant = `import py_compile
open("other.py", "w").write("def run(): return 'bytecode'")
mode = py_compile.PycInvalidationMode.UNCHECKED_HASH
cached = py_compile.compile("other.py", "__pycache__/solution.cpython-%d%d.pyc" % __import__("sys").version_info[:2], invalidation_mode=mode)
assert __import__("solution").run() == "bytecode"
`;
    const planted = await workspace.exec(["python3", "-c", plant], { signal: lab.context.signal, timeoutMs: 10_000 });
    expect(planted.output).toBe("");
    const suite = { id: "s", author: "a", runner: "pytest", snapshot, entries: ["test_x.py"], tests: [] };
    const { report } = await testRunner().run(workspace, [suite], lab.context);
    expect(statuses(report)).toEqual({ "test_x.py::test_a": "failed" });
  });

  it("is a fault of the sandbox when the runner does not start", async () => {
    const snapshot = await lab.sandbox.snapshots.put({ files: { "test_x.py": "" } });
    await using workspace = await lab.sandbox.open({ snapshot, lane: "lab" }, lab.context);
    const bare = {
      root: workspace.root,
      exec: (argv: readonly string[], options: ExecOptions) =>
        workspace.exec(["no-such-python", ...argv.slice(1)], options),
    };
    const suite = { id: "s", author: "a", runner: "pytest", snapshot, entries: ["test_x.py"], tests: [] };
    const run = testRunner().run(bare as Workspace, [suite], lab.context);
    await expect(run).rejects.toMatchObject({ code: "SANDBOX_FAILED", message: expect.stringContaining("not found") });
  });
});
