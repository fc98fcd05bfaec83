// What a verdict costs: over a plain cold pytest run of the same suite of ten small tests, and what each check adds to it.
import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import type { Task } from "@swarm/core";
import { builtInRunners, cleanRoomOracle, testRunner } from "@swarm/oracle";
import { localSandbox } from "@swarm/sandbox";
import { Baselines } from "../packages/oracle/src/baseline.ts";
import { blinded } from "../packages/oracle/src/integrity/blind-run.ts";
import { withCanaries } from "../packages/oracle/src/integrity/canaries.ts";
import { makeVariants } from "../packages/oracle/src/integrity/make-variants.ts";
import { runTwins } from "../packages/oracle/src/integrity/twin.ts";
import { runInRoom } from "../packages/oracle/src/room.ts";
import { type Contender, compare } from "./lib/compare.ts";

const ROUNDS = 5;
const folder = mkdtempSync(join(tmpdir(), "swarm-bench-"));
const sandbox = localSandbox({ store: join(folder, "objects") });
const context = { sandbox, signal: new AbortController().signal };

const tests = Array.from({ length: 10 }, (_, n) => `def test_${n}():\n    assert add(${n}, 1) == ${n + 1}\n`);
const testFiles = { "tests/test_add.py": `from add import add\n\n\n${tests.join("\n\n")}` };
const starter = { "add.py": "def add(a, b):\n    raise NotImplementedError\n" };
const right = { "add.py": "def add(a, b):\n    return a + b\n" };
const task: Task = { id: "add", prompt: "Add.", source: { files: starter }, testFiles, oracle: { runner: "pytest" } };

const plain = join(folder, "plain");
for (const [path, text] of Object.entries({ ...right, ...testFiles })) {
  mkdirSync(dirname(join(plain, path)), { recursive: true });
  writeFileSync(join(plain, path), text);
}
const base = await sandbox.snapshots.put({ files: { ...starter, ...testFiles } });
const final = await sandbox.snapshots.put({ files: { ...right, ...testFiles } });
const oracle = cleanRoomOracle();
const suites = await oracle.prepare({ task, base }, context);
const suite = suites[0]!;
const ground = { code: final, visible: suites, timeoutMs: 60_000, runners: builtInRunners() };
const variants = await makeVariants(suite, context);

const run = promisify(execFile);
// the interpreter itself: what stands for it on a PATH may be a script that looks for it
const python = (await run("python3", ["-c", "import sys; print(sys.executable)"])).stdout.trim();
const pytest = (name: string, env: Record<string, string>): Contender => ({
  name,
  round: async () => {
    const options = { cwd: plain, env: { ...process.env, PYTHONDONTWRITEBYTECODE: "1", ...env } };
    await run(python, ["-m", "pytest", "-q", "-p", "no:cacheprovider"], options);
  },
});
const bare = pytest("pytest, plain and cold, no plugins", { PYTEST_DISABLE_PLUGIN_AUTOLOAD: "1" });
const verdict = async (judge: typeof oracle, depth: "check" | "full") => {
  const { outcome } = await judge.verify({ task, base, final, suites, depth }, context);
  if (outcome !== "verified" && outcome !== "passed") throw new Error(`the right work is ${outcome}`);
};

console.log(`tier ${sandbox.tier}`);
await compare(
  "The verdict on right work, by ten small tests",
  "verdict",
  1,
  [
    bare,
    pytest("the same with what plugins are installed", {}),
    { name: "check: one guarded run", round: () => verdict(oracle, "check") },
    { name: "full, the task known", round: () => verdict(oracle, "full") },
    {
      name: "full, the task new",
      round: async () => {
        const fresh = cleanRoomOracle();
        await fresh.prepare({ task, base }, context);
        await verdict(fresh, "full");
      },
    },
  ],
  ROUNDS,
);

await compare(
  "What it is made of, each part by itself",
  "part",
  1,
  [
    bare,
    { name: "a run in a clean room", round: async () => void (await runInRoom(suite, ground, context)) },
    {
      name: "the same with canaries",
      round: async () => {
        const guarded = await withCanaries(suite, sandbox.snapshots);
        await runInRoom(guarded.suite, ground, context);
      },
    },
    {
      name: "repeat run, blind",
      round: async () => {
        const blind = await blinded(suite, variants, context);
        await runInRoom((await withCanaries(blind, sandbox.snapshots)).suite, ground, context);
      },
    },
    { name: "both twins", round: async () => void (await runTwins(suite, variants, ground, context)) },
    { name: "twins made, once a suite", round: async () => void (await makeVariants(suite, context)) },
    {
      name: "starter, twice, once a task",
      round: async () => void (await new Baselines().of(suite, { ...ground, code: base }, context)),
    },
    {
      name: "a test run in a team's loop",
      round: async () => {
        await using workspace = await sandbox.open({ snapshot: final, lane: "bench" }, context);
        await testRunner().run(workspace, suites, context);
      },
    },
  ],
  ROUNDS,
);
rmSync(folder, { recursive: true });
