import type { ExecOptions, Files, FrozenSuite, JsonObject, TestReport, Workspace } from "@swarm/core";
import { type CountingTestRunner, cleanRoomOracle, testRunner } from "@swarm/oracle";
import { afterAll, describe, expect, it } from "vitest";
import { openLab, statuses } from "./lab.ts";

const lab = await openLab();
afterAll(() => lab[Symbol.asyncDispose]());
const isolated = lab.sandbox.tier === "bubblewrap";

/** Runs of one suite in one workspace, which holds other files at each run. */
type Series = {
  runner: CountingTestRunner;
  notes: JsonObject[];
  workspace: Workspace;
  run(files: Files): Promise<TestReport>;
  [Symbol.asyncDispose](): Promise<void>;
};

async function series(
  runner: "pytest" | "node:test",
  tests: Files,
  { timeoutMs = 10_000, wrap = (workspace: Workspace) => workspace } = {},
): Promise<Series> {
  const { snapshots } = lab.sandbox;
  const snapshot = await snapshots.put({ files: tests });
  const entries = Object.keys(tests).filter((path) => /test_|\.test\./.test(path));
  const suite: FrozenSuite = { id: "suite", author: "someone", runner, snapshot, entries, tests: [] };
  const workspace = wrap(await lab.sandbox.open({ snapshot, lane: "warm" }, lab.context));
  const counting = testRunner({ timeoutMs });
  const notes: JsonObject[] = [];
  return {
    runner: counting,
    notes,
    workspace,
    async run(files) {
      await workspace.restore(await snapshots.put({ files: { ...files, ...tests } }));
      const options = { ...lab.context, notice: (note: JsonObject) => void notes.push(note) };
      return (await counting.run(workspace, [suite], options)).report;
    },
    async [Symbol.asyncDispose]() {
      await workspace[Symbol.asyncDispose]();
    },
  };
}

/** Runs a suite cold, on trial and warm on the same files, expects that all reports are equal, and returns the last. */
async function agreed(on: Series, files: Files): Promise<TestReport> {
  const reports = [await on.run(files), await on.run(files), await on.run(files)];
  expect(reports[1]).toEqual(reports[0]);
  expect(reports[2]).toEqual(reports[0]);
  expect({ ...on.runner.counts }).toEqual({ cold: 2, warm: 2, mismatches: 0, faults: 0 });
  return reports[2]!;
}

const text = async (workspace: Workspace, path: string) => Buffer.from(await workspace.read(path)).toString();

describe.runIf(isolated)("a suite that is run again and again", () => {
  it("is run warm, and says the same", async () => {
    await using python = await series("pytest", {
      "tests/test_add.py": `import pytest
from solution import add
@pytest.mark.parametrize("a, b", [(1, 2), (2, 2)])
def test_add(a, b): assert add(a, b) == {"sum": a + b}
def test_text(): assert add("a", "b") == "ab", "no text"
def test_skipped(): pytest.skip("later")
def test_error(nothing): pass
`,
    });
    const solution = { "solution.py": "def add(a, b): return {'sum': 3}\n" };
    expect(statuses(await agreed(python, solution))).toEqual({
      "tests/test_add.py::test_add[1-2]": "passed",
      "tests/test_add.py::test_add[2-2]": "failed",
      "tests/test_add.py::test_text": "failed",
      "tests/test_add.py::test_skipped": "skipped",
      "tests/test_add.py::test_error": "error",
    });
    const better = await python.run({ "solution.py": "def add(a, b): return {'sum': a + b}\n" });
    expect(statuses(better)["tests/test_add.py::test_add[2-2]"]).toBe("passed");
    expect(python.runner.counts).toMatchObject({ cold: 2, warm: 3 });

    await using node = await series("node:test", {
      "a.test.mjs": `import assert from "node:assert/strict";
import { describe, it, test } from "node:test";
import { add } from "./solution.mjs";
test("adds", () => assert.equal(add(1, 2), 3));
describe("outer", () => {
  it("wrong", () => assert.deepEqual({ a: add(1, 1) }, { a: 3 }));
  it("late", async () => { setTimeout(() => { throw new Error("boom"); }, 1); await new Promise((done) => setTimeout(done, 20)); });
  it("todo", { todo: true }, () => assert.fail());
});
test("no global of the runner's own", () => assert.equal(typeof nonce + typeof entry + typeof begin, "undefined".repeat(3)));
`,
      "b.test.mjs": 'import test from "node:test";\ntest("in a second file", () => {});\n',
    });
    const module = { "solution.mjs": "export const add = (a, b) => a + b;\n" };
    const reports = [await node.run(module), await node.run(module), await node.run(module)];
    expect(reports[1]).toEqual(reports[0]);
    expect(reports[2]).toEqual(reports[0]);
    expect(statuses(reports[0]!)).toEqual({
      "a.test.mjs > adds": "passed",
      "a.test.mjs > outer > wrong": "failed",
      "a.test.mjs > outer > late": "failed",
      "a.test.mjs > outer > todo": "xfailed",
      "a.test.mjs > no global of the runner's own": "passed",
      "b.test.mjs > in a second file": "passed",
    });
    expect(node.runner.counts).toMatchObject({ cold: 2, warm: 2, mismatches: 0, faults: 0 });
  });

  it("is run cold the first time in each workspace, for which nothing was started ahead", async () => {
    const tests = { "test_x.py": "def test_a(): pass\n" };
    await using on = await series("pytest", tests);
    await agreed(on, {});
    const snapshot = await lab.sandbox.snapshots.put({ files: tests });
    const suite = { id: "s", author: "a", runner: "pytest", snapshot, entries: ["test_x.py"], tests: [] };
    await using other = await lab.sandbox.open({ snapshot, lane: "warm" }, lab.context);
    await on.runner.run(other, [suite], lab.context);
    expect(on.runner.counts).toMatchObject({ cold: 3, warm: 2 });
    await on.runner.run(other, [suite], lab.context);
    expect(on.runner.counts).toMatchObject({ cold: 3, warm: 3 });
  });

  it("is run cold where the workspace has a module of a name that warming up has loaded", async () => {
    const tests = { "test_x.py": "import solution\ndef test_a(): assert solution.own()\n" };
    await using on = await series("pytest", tests);
    await agreed(on, { "solution.py": "def own(): return True\n" });
    const own = { "solution.py": "import readline\ndef own(): return hasattr(readline, 'OWN')\n" };
    const shadowing = ["readline.py", "readline/__init__.py"].map((path) => ({ ...own, [path]: "OWN = True\n" }));
    for (const files of shadowing) {
      const before = { ...on.runner.counts };
      expect(await on.run(files)).toEqual(await lab.report("pytest", { ...files, ...tests }));
      expect({ ...on.runner.counts }).toEqual({ ...before, cold: before.cold + 1 });
    }
  });

  it.each(["calendar", "token", "json", "queue"])(
    "says the same cold and warm of a workspace with a module %s",
    async (name) => {
      const body = `def test_a(): assert __import__("${name}").__dict__.get("OWN"), "not the workspace's own"\n`;
      await using on = await series("pytest", { "test_x.py": body });
      const files = { [`${name}.py`]: "OWN = True\n" };
      const reports = [await on.run(files), await on.run(files), await on.run(files)];
      expect(reports[2]).toEqual(reports[0]);
      expect(reports[0]?.fault).toBeNull();
      expect(on.runner.counts.mismatches).toBe(0);
    },
  );

  it("stays cold when the trial differs", async () => {
    await using on = await series("pytest", {
      "test_x.py": "import gc\ndef test_a(): assert gc.get_freeze_count() == 0, 'warm'\n",
    });
    for (let n = 0; n < 4; n += 1) expect(statuses(await on.run({}))).toEqual({ "test_x.py::test_a": "passed" });
    expect({ ...on.runner.counts }).toEqual({ cold: 4, warm: 1, mismatches: 1, faults: 0 });
    expect(on.notes).toEqual([
      {
        event: "tests_not_warm",
        suite: "suite",
        why: "a warm run differed from a cold one of the same files in the result of test_x.py::test_a",
      },
    ]);
  });

  it("is cold from the run on that differs later", async () => {
    const tests = { "test_x.py": "import solution\ndef test_a(): assert solution.run()\n" };
    await using on = await series("pytest", tests);
    await agreed(on, { "solution.py": "def run(): return True\n" });
    const odd = { "solution.py": "import gc, os\nif gc.get_freeze_count(): os._exit(0)\ndef run(): return True\n" };
    for (let n = 0; n < 2; n += 1) {
      const report = await on.run(odd);
      expect(report.fault).toBeNull();
      expect(statuses(report)).toEqual({ "test_x.py::test_a": "passed" });
    }
    expect({ ...on.runner.counts }).toEqual({ cold: 4, warm: 3, mismatches: 1, faults: 0 });
    expect(on.notes).toHaveLength(1);
  });

  it("is checked cold when its tests are others or cannot be believed, and one time in ten", async () => {
    const tests = {
      "test_x.py":
        "from solution import cases\nimport pytest\n@pytest.mark.parametrize('n', cases)\ndef test_a(n): pass\n",
    };
    await using on = await series("pytest", tests);
    await agreed(on, { "solution.py": "cases = [1]\n" });
    expect(Object.keys(statuses(await on.run({ "solution.py": "cases = [1, 2]\n" })))).toHaveLength(2);
    expect({ ...on.runner.counts }).toEqual({ cold: 3, warm: 3, mismatches: 0, faults: 0 });
    expect((await on.run({ "solution.py": "cases = (\n" })).fault?.code).toBe("COLLECTION_FAILED");
    expect({ ...on.runner.counts }).toEqual({ cold: 4, warm: 4, mismatches: 0, faults: 0 });
    for (let n = 0; n < 10; n += 1) await on.run({ "solution.py": "cases = [1, 2]\n" });
    expect({ ...on.runner.counts }).toEqual({ cold: 5, warm: 14, mismatches: 0, faults: 0 });
  });

  it("is run cold when the means of a warm run fail", async () => {
    let broken = false;
    const wrap = (workspace: Workspace): Workspace => {
      const exec = (argv: readonly string[], options: ExecOptions) =>
        workspace.exec(broken && options.ahead ? ["false"] : argv, options);
      return new Proxy(workspace, {
        get(target, name) {
          if (name === "exec") return exec;
          const value = Reflect.get(target, name);
          return typeof value === "function" ? value.bind(target) : value;
        },
      });
    };
    await using on = await series("pytest", { "test_x.py": "def test_a(): pass\n" }, { wrap });
    await agreed(on, {});
    broken = true;
    for (let n = 0; n < 2; n += 1) expect(statuses(await on.run({}))).toEqual({ "test_x.py::test_a": "passed" });
    expect({ ...on.runner.counts }).toEqual({ cold: 4, warm: 2, mismatches: 0, faults: 1 });
    expect(on.notes).toEqual([
      { event: "tests_not_warm", suite: "suite", why: expect.stringContaining("did not start") },
    ]);
  });

  it("is never warm for the judge", async () => {
    const commands: ExecOptions[] = [];
    const sandbox = new Proxy(lab.sandbox, {
      get(target, name) {
        if (name !== "open") return Reflect.get(target, name);
        return async (...args: Parameters<typeof target.open>) => {
          const workspace = await target.open(...args);
          const exec = workspace.exec.bind(workspace);
          workspace.exec = (argv, options) => {
            commands.push(options);
            return exec(argv, options);
          };
          return workspace;
        };
      },
    });
    const task = {
      id: "t",
      prompt: "p",
      source: { files: { "solution.py": "def one(): return 0\n" } },
      testFiles: { "test_x.py": "from solution import one\ndef test_a(): assert one() == 1\n" },
      hiddenTestFiles: { "test_y.py": "from solution import one\ndef test_b(): assert one() == 1\n" },
      oracle: { runner: "pytest" },
    };
    const oracle = cleanRoomOracle();
    const context = { ...lab.context, sandbox };
    const starter = { ...task.source.files, ...task.testFiles };
    const base = await sandbox.snapshots.put({ files: starter });
    const suites = await oracle.prepare({ task, base }, context);
    const final = await sandbox.snapshots.put({ files: { ...starter, "solution.py": "def one(): return 1\n" } });
    const { passed } = await oracle.verify({ task, base, final, suites, depth: "full" }, context);
    expect(passed).toBe(true);
    expect(commands.length).toBeGreaterThan(3);
    expect(commands.filter(({ ahead }) => ahead)).toEqual([]);
  });
});

describe.runIf(isolated)("a warm run, as a cold one,", () => {
  it("loads the sources that are there, whatever their times and sizes", async () => {
    await using on = await series("pytest", {
      "test_x.py": "from solution import one\ndef test_a(): assert one() == 1\n",
    });
    const same = ["sh", "-c", "touch -d 2020-01-01 solution.py; python3 -c 'import solution'; ls"];
    for (const [n, body] of ["1", "2", "1", "2", "2"].entries()) {
      await on.workspace.restore(await lab.sandbox.snapshots.put({ files: {} }));
      const report = await on.run({ "solution.py": `def one(): return ${body}\n` });
      await on.workspace.exec(same, {
        signal: lab.context.signal,
        timeoutMs: 10_000,
        env: { PYTHONDONTWRITEBYTECODE: "" },
      });
      expect(Object.values(statuses(report)), `run ${n}`).toEqual([body === "1" ? "passed" : "failed"]);
    }
    expect(on.runner.counts).toMatchObject({ cold: 2, warm: 4 });
  });

  it("loads a module of Node as its package says now", async () => {
    await using on = await series("node:test", {
      "a.test.mjs": 'import test from "node:test";\nimport { kind } from "./solution.js";\ntest(kind, () => {});\n',
    });
    const commonjs = { "solution.js": "exports.kind = 'a script';\n", "package.json": '{"type": "commonjs"}\n' };
    const module = { "solution.js": "export const kind = 'a module';\n", "package.json": '{"type": "module"}\n' };
    expect(Object.keys(statuses(await agreed(on, commonjs)))).toEqual(["a.test.mjs > a script"]);
    expect(Object.keys(statuses(await on.run(module)))).toEqual(["a.test.mjs > a module"]);
    expect(Object.keys(statuses(await on.run(commonjs)))).toEqual(["a.test.mjs > a script"]);
    expect(on.runner.counts).toMatchObject({ mismatches: 0, faults: 0 });
  });

  it("finds nothing of the runs before", async () => {
    await using python = await series("pytest", {
      "test_x.py": `import json, os, sys, threading
from pathlib import Path
def test_clean(tmp_path):
    assert "LEFT" not in os.environ and "left" not in sys.modules and json.dumps({}) == "{}"
    assert not Path("/tmp/left").exists() and not Path("/dev/shm/left").exists()
    assert threading.active_count() == 1 and tmp_path.parent.name == "pytest-0"
    assert os.listdir("/tmp/home") == []
def test_leave(monkeypatch):
    os.environ["LEFT"] = "1"
    sys.modules["left"] = sys
    json.dumps = lambda value: "left"
    for folder in ("/tmp", "/dev/shm"): Path(folder, "left").write_text("1")
    threading.Thread(target=threading.Event().wait, daemon=True).start()
`,
    });
    expect((await agreed(python, {})).tests.map(({ status }) => status)).toEqual(["passed", "passed"]);
    expect((await python.run({})).tests.map(({ status }) => status)).toEqual(["passed", "passed"]);

    await using node = await series("node:test", {
      "a.test.mjs": `import assert from "node:assert";
import fs from "node:fs";
import test from "node:test";
test("clean", () => {
  assert(!("left" in globalThis) && !("LEFT" in process.env) && !fs.existsSync("/tmp/left"));
  assert.equal(process.argv.length, 1);
  assert.equal(process.exitCode, undefined);
  for (const event of ["exit", "beforeExit", "SIGINT"]) assert(process.listenerCount(event) <= 1, event);
});
test("leave", () => {
  globalThis.left = process.env.LEFT = "1";
  fs.writeFileSync("/tmp/left", "1");
  process.on("exit", () => {});
});
`,
    });
    expect((await agreed(node, {})).tests.map(({ status }) => status)).toEqual(["passed", "passed"]);
    expect((await node.run({})).tests.map(({ status }) => status)).toEqual(["passed", "passed"]);
  });

  it("draws random numbers of its own", async () => {
    await using on = await series("pytest", {
      "test_x.py": "import random\ndef test_a(): open('drawn', 'w').write(str(random.random()))\n",
    });
    const drawn = new Set<string>();
    for (let n = 0; n < 5; n += 1) {
      await on.run({});
      drawn.add(await text(on.workspace, "drawn"));
    }
    expect(drawn.size).toBe(5);
    expect(on.runner.counts.warm).toBe(4);
  });

  it("can use processes", async () => {
    await using on = await series("pytest", {
      "test_x.py": `import multiprocessing, subprocess, sys, pytest
from solution import double
@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_pool(method):
    with multiprocessing.get_context(method).Pool(2) as pool: assert pool.map(double, [1, 2]) == [2, 4]
def test_child(): assert subprocess.run([sys.executable, "-c", "print(input())"], input=b"x", capture_output=True).stdout == b"x\\n"
def test_no_input():
    with pytest.raises(OSError): input()
    assert open(0).read() == ""
`,
    });
    const report = await agreed(on, { "solution.py": "def double(n): return 2 * n\n" });
    expect(new Set(Object.values(statuses(report)))).toEqual(new Set(["passed"]));
  });

  it.each([
    ["os._exit(0)", "os._exit(0)", "RUNNER_CRASHED"],
    [
      "the end of its parent",
      "os.kill(os.getppid(), signal.SIGKILL); time.sleep(0.1); os.kill(os.getpid(), signal.SIGKILL)",
      "RUNNER_CRASHED",
    ],
    ["a loop and a daemon", "subprocess.Popen(['setsid', 'sleep', '61.5']); time.sleep(60)", "TIMED_OUT"],
  ])("keeps to its limits with %s, and the next one is as ever", async (_, body, code) => {
    await using on = await series(
      "pytest",
      { "test_x.py": "from solution import run\ndef test_a(): pass\ndef test_b(): run()\n" },
      { timeoutMs: 1_500 },
    );
    const good = { "solution.py": "def run(): pass\n" };
    await agreed(on, good);
    const bad = { "solution.py": `import os, signal, subprocess, time\ndef run(): ${body}\n` };
    const report = await on.run(bad);
    expect(report.fault).toMatchObject({ code, test: "test_x.py::test_b" });
    expect(statuses(report)).toEqual({ "test_x.py::test_a": "passed" });
    expect((await on.run(good)).fault).toBeNull();
    expect({ ...on.runner.counts }).toEqual({ cold: 3, warm: 4, mismatches: 0, faults: 0 });
  });

  it.each([
    [
      "pytest",
      "test_x.py",
      `import os
def test_a():
    told = [open(f"/proc/self/{name}").read() for name in ("status", "limits", "mountinfo", "cgroup")]
    spaces = [os.readlink(f"/proc/self/ns/{name}") != os.readlink(f"/proc/self/ns/{name}_for_children") for name in ("pid",)]
    seen = sorted(int(pid) for pid in os.listdir("/proc") if pid.isdigit())
    lines = [line for line in "".join(told).splitlines() if not line.startswith(VARIES)]
    open("told", "w").write("\\n".join([*lines, str(spaces), str(len(seen)), *sorted(os.environ)]))
VARIES = ("Name", "Pid", "Tgid", "PPid", "NStgid", "NSpid", "NSpgid", "NSsid", "Vm", "Rss", "Hugetlb", "FDSize", "Threads", "voluntary", "nonvoluntary", "Max pending", "SigQ")
`,
    ],
    [
      "node:test",
      "a.test.mjs",
      `import fs from "node:fs";
import test from "node:test";
const VARIES = /^(Name|Pid|Tgid|PPid|NStgid|NSpid|NSpgid|NSsid|Vm|Rss|Hugetlb|FDSize|Threads|voluntary|nonvoluntary|SigQ|State)/;
test("a", () => {
  const told = ["status", "limits", "mountinfo", "cgroup"].map((name) => fs.readFileSync("/proc/self/" + name, "utf8")).join("");
  const seen = fs.readdirSync("/proc").filter((name) => /^\\d+$/.test(name)).length;
  fs.writeFileSync("told", [...told.split("\\n").filter((line) => !VARIES.test(line)), seen, ...Object.keys(process.env).sort()].join("\\n"));
});
`,
    ],
  ] as const)("has the same rights and sees the same, for %s", async (runner, entry, body) => {
    await using on = await series(runner, { [entry]: body });
    const told: string[] = [];
    for (let n = 0; n < 3; n += 1) {
      expect((await on.run({})).fault).toBeNull();
      // Mounts of two sandboxes have ids of their own.
      told.push((await text(on.workspace, "told")).replace(/^\d+ \d+ \d+:\d+/gm, "mount"));
    }
    expect(told[0]).toMatch(/^NoNewPrivs:\t1$/m);
    expect(told[2]).toEqual(told[0]);
    expect(on.runner.counts).toMatchObject({ cold: 2, warm: 2 });
  });

  it("runs beside others", async () => {
    const runs = await Promise.all(
      Array.from({ length: 4 }, async (_, index) => {
        await using on = await series("pytest", {
          "test_x.py": `import os\ndef test_a(): assert sorted(os.listdir(".")) == ["own_${index}", "test_x.py"]\n`,
        });
        return await agreed(on, { [`own_${index}`]: "" });
      }),
    );
    expect(runs.map(({ tests }) => tests[0]?.status)).toEqual(["passed", "passed", "passed", "passed"]);
  });
});
