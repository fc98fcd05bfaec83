import { type FrozenSuite, SandboxError, type Suite, type Task } from "@swarm/core";
import { cleanRoomOracle } from "@swarm/oracle";
import { afterAll, describe, expect, it } from "vitest";
import { openLab } from "./lab.ts";

const lab = await openLab();
afterAll(() => lab[Symbol.asyncDispose]());

/** What work is that is right: where the network cannot be cut off, one check is not made. */
const RIGHT_OUTCOME = lab.sandbox.tier === "bubblewrap" ? "verified" : "passed";

const RIGHT_REASONS = lab.sandbox.tier === "bubblewrap" ? [] : [expect.stringMatching(/^network-isolation: not made/)];

const STARTER = "def add(a, b):\n    raise NotImplementedError\n";
const RIGHT = "def add(a, b):\n    return a + b\n";
const TEST = `from solution import add
def test_small(): assert add(1, 2) == 3
def test_large(): assert add(100, 200) == 300
`;

function addTask(more: Partial<Task> = {}): Task {
  return {
    id: "add",
    prompt: "Make add() add.",
    source: { files: { "solution.py": STARTER } },
    testFiles: { "tests/test_add.py": TEST },
    oracle: { runner: "pytest", tests: ["tests/test_add.py::test_small", "tests/test_add.py::test_large"] },
    ...more,
  };
}

/** Settings without a manifest: it is found by a run on the starter. */
const FOUND = { runner: "pytest" };

const NODE_TEST = `import assert from "node:assert/strict";
import { test } from "node:test";
import { add } from "../add.mjs";
test("small", () => assert.equal(add(1, 2), 3));
test("large", () => assert.equal(add(100, 200), 300));
`;
const nodeTask: Task = {
  id: "add-js",
  prompt: "Make add() add.",
  source: { files: { "add.mjs": "export function add() {}\n" } },
  testFiles: { "test/add.test.mjs": NODE_TEST },
  oracle: { runner: "node:test" },
};

describe("a candidate that did the work", () => {
  it("is verified when every check was made, and the verdict names one that was not", async () => {
    const verdict = await lab.verdict(addTask(), { "solution.py": RIGHT });
    expect(verdict).toMatchObject({
      passed: true,
      outcome: RIGHT_OUTCOME,
      oracle: "given",
      signals: { testsPassed: 2, testsFailed: 0 },
      tampering: [],
    });
    expect(verdict.reasons).toEqual(RIGHT_REASONS);
    const made = ["clean-room", "protected-files", "report-channel", "manifest", "given-tests", "sensitivity"];
    const checks = expect.arrayContaining([...made, "repeat-run", "canaries", "twin"]);
    expect(verdict.evidence["checks"]).toMatchObject({ made: checks });
  });

  it("gets the same verdict again", async () => {
    const work = { "solution.py": RIGHT };
    expect(await lab.verdict(addTask(), work)).toEqual(await lab.verdict(addTask(), work));
  });

  it("passes in JavaScript", async () => {
    const verdict = await lab.verdict(nodeTask, { "add.mjs": "export const add = (a, b) => a + b;\n" });
    expect(verdict).toMatchObject({ outcome: RIGHT_OUTCOME, signals: { testsPassed: 2, testsFailed: 0 } });
  });

  it("passes when its starter could not even be imported, and the verdict says that there was no manifest", async () => {
    const verdict = await lab.verdict(addTask({ source: { files: {} }, oracle: FOUND }), { "solution.py": RIGHT });
    expect(verdict.outcome).toBe("passed");
    expect(verdict.reasons).toContainEqual(expect.stringContaining("no manifest"));
  });

  it("is not judged by what its author marked as skipped or expected to fail, nor by helpers that look like tests", async () => {
    const test = `import pytest
from solution import *
def test_add(): assert add(1, 2) == 3
@pytest.mark.xfail
def test_later(): assert False
@pytest.mark.skip
def test_elsewhere(): pass
`;
    const helper = "def test_duplicate(numbers): return len(numbers) != len(set(numbers))\n";
    const task = addTask({
      source: { files: { "solution.py": STARTER + helper } },
      testFiles: { "tests/test_add.py": test },
      oracle: FOUND,
    });
    const verdict = await lab.verdict(task, { "solution.py": RIGHT + helper });
    expect(verdict.outcome).toBe(RIGHT_OUTCOME);
    expect(verdict.reasons).toContainEqual(expect.stringContaining("test_duplicate, which is not required"));
  });

  it("tells what its tests remarked, though they passed", async () => {
    const test = `from solution import add
def test_add(record_property):
    record_property("remark", "adds in one line")
    record_property("lines", 1)
    assert add(1, 2) == 3
`;
    const task = addTask({ testFiles: { "tests/test_add.py": test }, oracle: FOUND });
    const verdict = await lab.verdict(task, { "solution.py": RIGHT });
    expect(verdict.outcome).toBe(RIGHT_OUTCOME);
    expect(verdict.reasons).toContain("given: tests/test_add.py::test_add passed: adds in one line");
  });
});

describe("a candidate that did not", () => {
  it("fails with the tests that failed", async () => {
    const verdict = await lab.verdict(addTask(), { "solution.py": "def add(a, b):\n    return 3\n" });
    expect(verdict).toMatchObject({ passed: false, outcome: "failed", signals: { testsPassed: 1, testsFailed: 1 } });
    expect(verdict.reasons).toEqual([
      "given: tests/test_add.py::test_large failed (AssertionError at tests/test_add.py:3)",
    ]);
  });

  it("fails every required test when the module cannot be loaded", async () => {
    const verdict = await lab.verdict(addTask(), { "solution.py": "def add(:\n" });
    expect(verdict).toMatchObject({ outcome: "failed", signals: { testsPassed: 0, testsFailed: 2 } });
    expect(verdict.reasons[0]).toContain("COLLECTION_FAILED");
  });

  it("fails when its code hangs", async () => {
    const task = addTask({ oracle: { runner: "pytest", timeoutMs: 100 } });
    const verdict = await lab.verdict(task, { "solution.py": "def add(a, b):\n    while True: pass\n" });
    expect(verdict).toMatchObject({ passed: false, outcome: "failed" });
    expect(verdict.reasons[0]).toContain("TIMED_OUT");
  });

  it.each([
    ["leaves at import", "import os\nos._exit(0)\n"],
    ["leaves in a call", "import os\ndef add(a, b): os._exit(0)\n"],
    ["skips the test", "import pytest\ndef add(a, b): pytest.skip('no')\n"],
    ["expects the failure", "import pytest\ndef add(a, b): pytest.xfail('no')\n"],
    ["ends the session", "import pytest\ndef add(a, b): pytest.exit('no', returncode=0)\n"],
    ["prints a summary", "import os\nos.write(1, b'2 passed in 0.01s\\n')\nos._exit(0)\n"],
    [
      "changes the status at exit",
      "import atexit, os\natexit.register(lambda: os._exit(0))\ndef add(a, b): return 0\n",
    ],
  ])("fails when it %s", async (_, body) => {
    expect(await lab.verdict(addTask(), { "solution.py": body })).toMatchObject({ passed: false, outcome: "failed" });
  });

  it.each([
    ["at import", "process.exit(0);\n"],
    ["in a call", "export const add = () => process.exit(0);\n"],
    ["at exit", "process.on('exit', () => { process.exitCode = 0; });\nexport const add = () => 0;\n"],
  ])("fails when its JavaScript leaves %s", async (_, body) => {
    expect(await lab.verdict(nodeTask, { "add.mjs": body })).toMatchObject({ passed: false, outcome: "failed" });
  });

  it("is tampered when it writes into the report's channel", async () => {
    const body =
      "import fs from 'node:fs';\nexport const add = (a, b) => { fs.writeSync(3, '{}\\n'); return a + b; };\n";
    const verdict = await lab.verdict(nodeTask, { "add.mjs": body });
    expect(verdict).toMatchObject({ passed: false, outcome: "tampered", tampering: [{ kind: "report-forged" }] });
  });
});

it("leaves a timer that a fixture set to the tests", async () => {
  const test = `import pytest, signal
from solution import add
@pytest.fixture
def timer():
    signal.setitimer(signal.ITIMER_REAL, 100)
    yield
    assert signal.getitimer(signal.ITIMER_REAL)[0] > 0
def test_small(timer): assert add(1, 2) == 3
`;
  const task = addTask({ testFiles: { "tests/test_add.py": test }, oracle: FOUND });
  expect(await lab.verdict(task, { "solution.py": RIGHT })).toMatchObject({ passed: true, outcome: RIGHT_OUTCOME });
});

describe("a starter that hangs", () => {
  const hanging = (test: string, more: Partial<Task> = {}) =>
    addTask({
      source: {
        files: {
          "solution.py": "def add(a, b):\n    while True:\n        try: pass\n        except Exception: pass\n",
        },
      },
      testFiles: { "tests/test_add.py": test },
      oracle: { ...FOUND, timeoutMs: 3_000 },
      ...more,
    });
  const SKIPPING = `${TEST}
import pytest
def test_later(): pytest.skip("not today")
@pytest.mark.skip
def test_never(): assert add(1, 2) == 4
`;

  it("does not keep its tests from being known: each is ended after its share of the time", async () => {
    const verdict = await lab.verdict(hanging(SKIPPING), { "solution.py": RIGHT });
    expect(verdict).toMatchObject({ passed: true, outcome: RIGHT_OUTCOME, tampering: [] });
    expect(verdict.reasons).toEqual(RIGHT_REASONS);
  });

  it("does not let work pass that lacks one of them", async () => {
    const skipping = `import pytest\ndef add(a, b):\n    if a == 100: pytest.skip()\n    return a + b\n`;
    const verdict = await lab.verdict(hanging(TEST), { "solution.py": skipping });
    expect(verdict).toMatchObject({ passed: false, outcome: "failed" });
  });

  it("in code that no signal ends leaves them unknown, and the verdict says so", async () => {
    const source = {
      files: { "solution.py": "import itertools\ndef add(a, b):\n    return sum(itertools.count())\n" },
    };
    const verdict = await lab.verdict(hanging(TEST, { source }), { "solution.py": RIGHT });
    expect(verdict).toMatchObject({ passed: true, outcome: "passed" });
    expect(verdict.reasons).toContainEqual(expect.stringMatching(/^manifest: not made/));
  });
});

describe("what a candidate changed around its work", () => {
  const HOOK = `import pytest
@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    outcome = yield
    outcome.get_result().outcome = "passed"
`;

  it.each([
    [
      "an edited test",
      { "tests/test_add.py": "def test_small(): pass\ndef test_large(): pass\n" },
      "test-file-changed",
    ],
    ["a deleted test", { "tests/test_add.py": null }, "test-file-changed"],
    ["hooks that turn failures into passes", { "conftest.py": HOOK }, "protected-file-changed"],
    ["hooks beside the tests", { "tests/conftest.py": HOOK }, "protected-file-changed"],
    ["code at the interpreter's start", { "sitecustomize.py": "import os\nos._exit(0)\n" }, "protected-file-changed"],
    ["a runner of its own", { "pytest.py": "raise SystemExit(0)\n" }, "protected-file-changed"],
    ["a configuration", { "pytest.ini": "[pytest]\naddopts = --co\n" }, "protected-file-changed"],
  ])("is undone and reported: %s", async (_, work, kind) => {
    const [path] = Object.keys(work);
    const idle = await lab.verdict(addTask(), work);
    expect(idle).toMatchObject({ passed: false, outcome: "tampered", signals: { testsPassed: 0, testsFailed: 2 } });
    const made = { kind: "made-the-difference", suite: "given", what: expect.any(String) };
    expect(idle.tampering).toEqual([expect.objectContaining({ kind, path }), made]);
    const honest = await lab.verdict(addTask(), { ...work, "solution.py": RIGHT });
    expect(honest).toMatchObject({ passed: true, outcome: RIGHT_OUTCOME });
    expect(honest.tampering).toEqual([expect.objectContaining({ kind, path })]);
  });

  it("is undone and reported, also where it would have changed nothing", async () => {
    const work = { "usercustomize.py": "x = 1\n", "jest.config.js": "module.exports = {};\n" };
    const verdict = await lab.verdict(addTask(), work);
    expect(verdict).toMatchObject({ passed: false, outcome: "failed" });
    expect(verdict.tampering.map(({ path }) => path)).toEqual(["jest.config.js", "usercustomize.py"]);
  });

  it("leaves the protected files of the starter as they were", async () => {
    const conftest = "import pytest\n@pytest.fixture\ndef three(): return 3\n";
    const task = addTask({
      source: { files: { "solution.py": STARTER, "conftest.py": conftest } },
      testFiles: {
        "tests/test_add.py": "from solution import add\ndef test_small(three): assert add(1, 2) == three\n",
      },
      oracle: FOUND,
    });
    const verdict = await lab.verdict(task, { "solution.py": RIGHT, "conftest.py": HOOK });
    expect(verdict).toMatchObject({ outcome: RIGHT_OUTCOME, tampering: [{ path: "conftest.py", change: "changed" }] });
    expect((await lab.verdict(task, { "solution.py": RIGHT, "conftest.py": null })).outcome).toBe(RIGHT_OUTCOME);
  });

  it("does not make honest work that fails a tampering", async () => {
    const fixture = "import pytest\n@pytest.fixture\ndef three(): return 3\n";
    const own = `${TEST}def test_none(): assert add(0, 0) == 0\n`;
    const work = { "conftest.py": fixture, "tests/test_add.py": own, "solution.py": "def add(a, b): return a - b\n" };
    const verdict = await lab.verdict(addTask(), work);
    expect(verdict.outcome).toBe("failed");
    expect(verdict.tampering.map(({ path }) => path)).toEqual(["conftest.py", "tests/test_add.py"]);
  });

  it("leaves what the task allows, and undoes what the task protects", async () => {
    const conftest = "import pytest\n@pytest.fixture\ndef three(): return 3\n";
    const testFiles = {
      "tests/test_add.py": "from solution import add\ndef test_small(three): assert add(1, 2) == three\n",
    };
    const work = { "solution.py": RIGHT, "conftest.py": conftest, "data/limits.txt": "9\n" };
    const refused = await lab.verdict(addTask({ testFiles, oracle: FOUND }), work);
    expect(refused.passed).toBe(false);
    const oracle = { ...FOUND, allow: ["conftest.py"], protect: ["data/"] };
    const verdict = await lab.verdict(addTask({ testFiles, oracle }), work);
    expect(verdict).toMatchObject({ passed: true, tampering: [{ path: "data/limits.txt" }] });
  });
});

describe("a file that the starter's .gitignore names", () => {
  const ignoring = addTask({ source: { files: { "solution.py": STARTER, ".gitignore": "generated/\n" } } });

  it("is no part of the work, as it is none of the patch", async () => {
    const work = { "solution.py": "from generated.sums import add\n", "generated/sums.py": RIGHT };
    const verdict = await lab.verdict(ignoring, work);
    expect(verdict).toMatchObject({ passed: false, outcome: "failed", tampering: [] });
    expect(verdict.reasons).toContain("left out, as the starter's .gitignore has it: generated/sums.py");
  });

  it("does not stand in the way of work that does without", async () => {
    const verdict = await lab.verdict(ignoring, { "solution.py": RIGHT, "generated/log.txt": "done\n" });
    expect(verdict).toMatchObject({ passed: true, outcome: RIGHT_OUTCOME, reasons: RIGHT_REASONS });
  });
});

describe("hidden tests", () => {
  const hidden = addTask({
    hiddenTestFiles: { "tests/test_hidden.py": "from solution import add\ndef test_more(): assert add(7, 8) == 15\n" },
  });

  it("catch an answer made for the visible tests, and the gap is told", async () => {
    const cheat = "def add(a, b):\n    return {3: 3, 300: 300}[a + b] if a + b in (3, 300) else 0\n";
    const verdict = await lab.verdict(hidden, { "solution.py": cheat });
    expect(verdict).toMatchObject({ passed: false, outcome: "failed", signals: { testsPassed: 2, testsFailed: 1 } });
    expect(verdict.reasons).toContain("the visible tests pass and the hidden ones do not");
    expect((await lab.verdict(hidden, { "solution.py": RIGHT })).outcome).toBe(RIGHT_OUTCOME);
  });

  it("are not on disk while the visible ones run, and not part of a check", async () => {
    const peek = "import os\ndef add(a, b):\n    return 0 if os.path.exists('tests/test_hidden.py') else a + b\n";
    const verdict = await lab.verdict(hidden, { "solution.py": peek });
    expect(verdict.signals).toEqual({ testsPassed: 2, testsFailed: 1 });

    const oracle = cleanRoomOracle();
    const base = await lab.sandbox.snapshots.put({ files: { "solution.py": STARTER, "tests/test_add.py": TEST } });
    const final = await lab.sandbox.snapshots.put({ files: { "solution.py": peek, "tests/test_add.py": TEST } });
    const suites = await oracle.prepare({ task: hidden, base }, lab.context);
    const check = await oracle.verify({ task: hidden, base, final, suites, depth: "check" }, lab.context);
    expect(check).toMatchObject({ outcome: "passed", signals: { testsPassed: 2, testsFailed: 0 } });
    expect(check.reasons).toContainEqual(expect.stringMatching(/^hidden-tests: not made/));
    expect(JSON.stringify(check)).not.toContain("test_hidden");
  });

  it("are not weakened by a file at their place", async () => {
    const verdict = await lab.verdict(hidden, {
      "solution.py": RIGHT,
      "tests/test_hidden.py": "def test_more(): pass\n",
    });
    expect(verdict.outcome).toBe(RIGHT_OUTCOME);
    expect(verdict.tampering).toEqual([{ kind: "test-file-changed", path: "tests/test_hidden.py", change: "added" }]);
  });
});

describe("the manifest", () => {
  it("fails a candidate when a required test does not exist", async () => {
    const tests = ["tests/test_add.py::test_small", "tests/test_add.py::test_gone"];
    const verdict = await lab.verdict(addTask({ oracle: { runner: "pytest", tests } }), { "solution.py": RIGHT });
    expect(verdict).toMatchObject({ passed: false, outcome: "failed" });
    expect(verdict.reasons).toEqual(["given: tests/test_add.py::test_gone was not reported"]);
  });

  it("is found on the starter", async () => {
    const base = await lab.sandbox.snapshots.put({ files: { "solution.py": STARTER } });
    const [suite] = await cleanRoomOracle().prepare({ task: addTask({ oracle: FOUND }), base }, lab.context);
    expect(suite).toMatchObject({
      id: "given",
      author: "task",
      runner: "pytest",
      entries: ["tests/test_add.py"],
      tests: ["tests/test_add.py::test_large", "tests/test_add.py::test_small"],
    });
  });
});

describe("a suite that was written during the run", () => {
  const suite: Suite = { id: "qa", author: "qa", runner: "pytest", files: { "tests/test_qa.py": TEST } };
  const admit = async (changes: Partial<Suite>) => {
    const base = await lab.sandbox.snapshots.put({ files: { "solution.py": STARTER } });
    return await cleanRoomOracle({ timeoutMs: 10_000 }).admit({ ...suite, ...changes }, base, lab.context);
  };

  it("is frozen with its manifest, and decides as a generated oracle", async () => {
    const admission = await admit({});
    expect(admission).toMatchObject({
      ok: true,
      output: { id: "qa", tests: expect.arrayContaining(["tests/test_qa.py::test_small"]) },
    });
    const frozen = (admission as { output: FrozenSuite }).output;
    const { snapshots } = lab.sandbox;
    const task: Task = { id: "free", prompt: "Make add() add.", source: { files: { "solution.py": STARTER } } };
    const verdict = await cleanRoomOracle().verify(
      {
        task,
        base: await snapshots.put({ files: { "solution.py": STARTER } }),
        final: await snapshots.put({ files: { "solution.py": RIGHT, "tests/test_qa.py": TEST } }),
        suites: [frozen],
        depth: "full",
      },
      lab.context,
    );
    expect(verdict).toMatchObject({ outcome: "passed", oracle: "generated", tampering: [] });
    expect(verdict.reasons).toContainEqual(expect.stringMatching(/^given-tests: not made/));
  });

  it("decides nothing where the task brings tests, though they are hidden", async () => {
    const { snapshots } = lab.sandbox;
    const source = { files: { "solution.py": STARTER } };
    const wrong = await snapshots.put({ files: { "tests/test_qa.py": "def test_a(): assert False\n" } });
    const frozen: FrozenSuite = { ...suite, snapshot: wrong, entries: ["tests/test_qa.py"], tests: [] };
    const task: Task = { id: "kept", prompt: "Make add() add.", source, oracle: { runner: "pytest" } };
    const judged = async (hiddenTestFiles: Task["hiddenTestFiles"] & object, work: string) =>
      await cleanRoomOracle().verify(
        {
          task: { ...task, hiddenTestFiles },
          base: await snapshots.put(source),
          final: await snapshots.put({ files: { "solution.py": work } }),
          suites: [frozen],
          depth: "full",
        },
        lab.context,
      );
    const hidden = { "tests/test_hidden.py": TEST };
    expect(await judged(hidden, RIGHT)).toMatchObject({ passed: true, oracle: "given" });
    expect(await judged(hidden, STARTER)).toMatchObject({ passed: false, oracle: "given" });
  });

  it.each<[string, Partial<Suite>, string]>([
    ["an unknown runner", { runner: "nose" }, "UNKNOWN_RUNNER"],
    ["no test file", { files: { "tests/helper.py": "x = 1\n" } }, "NO_TESTS"],
    ["no test in its files", { files: { "tests/test_qa.py": "x = 1\n" } }, "NO_TESTS"],
    ["tests that pass on the starter", { files: { "tests/test_qa.py": "def test_a(): pass\n" } }, "SUITE_INSENSITIVE"],
    ["a syntax error", { files: { "tests/test_qa.py": "def test_a(:\n" } }, "SUITE_BROKEN"],
    ["a file of the starter", { files: { "tests/test_qa.py": TEST, "solution.py": RIGHT } }, "SUITE_BAD_PATH"],
    ["a file that is no test", { files: { "tests/test_qa.py": TEST, "other.py": RIGHT } }, "SUITE_BAD_PATH"],
    ["a path out of the workspace", { files: { "../test_qa.py": TEST } }, "SUITE_BAD_PATH"],
    ["the task's own name", { id: "given" }, "SUITE_RESERVED"],
  ])("is refused for %s", async (_, changes, code) => {
    expect(await admit(changes)).toMatchObject({ ok: false, fault: { code, retryable: true } });
  });

  it("is admitted when the module under test does not exist yet, in Python and in JavaScript", async () => {
    const files = { "tests/test_qa.py": "from not_yet import run\ndef test_run(): run()\n" };
    expect(await admit({ files })).toMatchObject({ ok: true, output: { tests: [] } });
    const script = `import { test } from "node:test";\nimport { nope } from "../lib.mjs";\ntest("a", () => nope());\n`;
    expect(await admit({ runner: "node:test", files: { "test/a.test.mjs": script } })).toMatchObject({ ok: true });
  });
});

describe("a verdict that says nothing about the work", () => {
  it("is insensitive when the starter passes too", async () => {
    const task = addTask({ source: { files: { "solution.py": RIGHT } } });
    const verdict = await lab.verdict(task, { "notes.txt": "done\n" });
    expect(verdict).toMatchObject({ passed: false, outcome: "insensitive" });
  });

  it("is an infra-error when the sandbox breaks", async () => {
    const broken = {
      ...lab.sandbox,
      open: () => Promise.reject(new SandboxError("no room")),
    };
    const base = await lab.sandbox.snapshots.put({ files: { "solution.py": STARTER } });
    const [suite] = await cleanRoomOracle().prepare({ task: addTask(), base }, lab.context);
    const verdict = await cleanRoomOracle().verify(
      { task: addTask(), base, final: base, suites: suite ? [suite] : [], depth: "full" },
      { ...lab.context, sandbox: broken },
    );
    expect(verdict).toMatchObject({ passed: false, outcome: "infra-error" });
    expect(verdict.reasons[0]).toContain("no room");
  });

  it("fails without any suite, and rejects without the task's own", async () => {
    const base = await lab.sandbox.snapshots.put({ files: {} });
    const free: Task = { id: "free", prompt: "p", source: { files: {} } };
    const verify = (task: Task) =>
      cleanRoomOracle().verify({ task, base, final: base, suites: [], depth: "full" }, lab.context);
    expect(await verify(free)).toMatchObject({ passed: false, outcome: "failed" });
    await expect(verify(addTask())).rejects.toMatchObject({ code: "INVALID_INPUT", field: "suites" });
  });
});
