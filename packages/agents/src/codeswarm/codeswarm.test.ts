import { existsSync, readdirSync, readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  memoryLogStore,
  ProviderError,
  replayRun,
  runTask,
  type Task,
  type Team,
  type Trajectory,
  toolSpec,
} from "@swarm/core";
import { assertReplays, assertSoundRun, type Script, scripted } from "@swarm/core/testing";
import { sqliteMemory } from "@swarm/memory";
import { localSandbox } from "@swarm/sandbox";
import { chaosModel } from "@swarm/tasks";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type CodeswarmOptions, codeswarm, codeswarmFrom } from "./codeswarm.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "codeswarm-test-"));
});
afterEach(() => rm(folder, { recursive: true }));

/** Back-offs pass at once, and the run is bound to this test's folder. */
const ports = () => ({
  sandbox: localSandbox({ store: join(folder, "objects"), isolation: "none" }),
  store: memoryLogStore(),
  clock: { now: () => Date.now(), after: immediately },
});

function immediately(_ms: number, callback: () => void): () => void {
  const timer = setTimeout(callback, 0);
  return () => clearTimeout(timer);
}

async function run(task: Task, script: Script, options: Partial<CodeswarmOptions> & { signal?: AbortSignal } = {}) {
  const { signal, ...settings } = options;
  const model = scripted("test:model", script);
  const runOptions = { ...ports(), team: codeswarm({ model, ...settings }), ...(signal ? { signal } : {}) };
  const trajectory = await runTask(task, runOptions);
  assertSoundRun(trajectory);
  const { signal: _, ...again } = runOptions;
  await assertReplays(trajectory, again);
  return { trajectory, model, runOptions };
}

const planOf = (...titles: string[]) =>
  JSON.stringify({ steps: titles.map((title) => ({ title, instructions: `Do ${title}.` })) });
const write = (path: string, content: string) => ({ tool: "write_file", args: { path, content } });
const promptOf = (model: ReturnType<typeof scripted>, role: string, attempt: number, stepId?: string) => {
  const found = model.requests.find(
    ({ at }) => at.role === role && at.attempt === attempt && (stepId === undefined || at.stepId === stepId),
  );
  return JSON.stringify(found?.request.turns);
};
const testsBegun = ({ events }: Trajectory) =>
  events.filter((event) => event.kind === "test" && event.payload.type === "begin" && event.stepId !== "run").length;

const python: Task = {
  id: "double",
  prompt: "Write double(x) in double.py: it gives twice the number.",
  source: { files: { "double.py": "def double(x):\n    raise NotImplementedError\n" } },
  testFiles: {
    "tests/test_double.py":
      "from double import double\n\ndef test_two():\n    assert double(2) == 4\n\ndef test_three():\n    assert double(3) == 6\n",
  },
  oracle: { runner: "pytest" },
};
const WRONG = write("double.py", "def double(x):\n    return x * x\n");
const RIGHT = write("double.py", "def double(x):\n    return 2 * x\n");

const javascript: Task = {
  id: "greet",
  prompt: "Write greet(name) and shout(name) in greet.mjs.",
  source: { files: { "greet.mjs": "export const old = () => 1;\n" } },
  testFiles: {
    "tests/greet.test.mjs": `import assert from "node:assert/strict";
import { test } from "node:test";
const load = () => import("../greet.mjs");
test("keeps old", async () => assert.equal((await load()).old(), 1));
test("greets", async () => assert.equal((await load()).greet("Ada"), "Hello, Ada"));
test("shouts", async () => assert.equal((await load()).shout("Ada"), "HELLO, ADA"));
`,
  },
  oracle: { runner: "node:test" },
};
const OLD = "export const old = () => 1;\n";
const GREET = 'export const greet = (name) => "Hello, " + name;\n';
const SHOUT = "export const shout = (name) => greet(name).toUpperCase();\n";

describe("codeswarm", () => {
  it("passes after one repair, with the reviewer's advice", async () => {
    const { trajectory, model, runOptions } = await run(python, {
      "run/plan|planner|0.0": planOf("double"),
      "run/implement|coder|0.0": [WRONG],
      "run/implement|coder|0.1": "Done.",
      "run/implement|reviewer|0.0": [{ tool: "read_file", args: { path: "double.py" } }],
      "run/implement|reviewer|0.1": "Add the number to itself; it is squared.",
      "run/implement|coder|1.0": [RIGHT, { tool: "run_tests", args: {} }],
      "run/implement|coder|1.1": "Doubled.",
    });
    model.assertComplete();
    expect(trajectory.verdict).toMatchObject({ passed: true, signals: { testsPassed: 2, testsFailed: 0 } });
    expect(trajectory.report).toEqual({
      planned: 1,
      steps: [{ title: "double", ok: true, attempts: 2 }],
      problem: null,
    });
    expect(await trajectory.files()).toMatchObject({ "double.py": RIGHT.args.content });
    expect(trajectory.step("run/implement")?.result).toMatchObject({ ok: true, output: { summary: "Doubled." } });
    expect(testsBegun(trajectory)).toBe(2);

    expect(promptOf(model, "planner", 0)).toContain("assert double(3) == 6");
    expect(promptOf(model, "coder", 0)).not.toContain("advice");
    expect(promptOf(model, "coder", 1)).toContain("it is squared");
    expect(promptOf(model, "reviewer", 0)).toMatch(/<failure>.*test_three/);

    const replay = await replayRun(trajectory.runId, runOptions);
    expect(replay.divergence).toBeNull();
  });

  it("gives up after its retries, and says what failed", async () => {
    const { trajectory, model } = await run(
      python,
      {
        "run/plan|planner|0.0": planOf("double"),
        "run/implement|coder|*.0": [write("double.py", "raise SystemExit('no')\n")],
        "run/implement|coder|*.1": "Done.",
        "run/implement|reviewer|*.*": "",
      },
      { maxRetries: 2 },
    );
    expect(trajectory.verdict).toMatchObject({ passed: false, outcome: "failed" });
    expect(trajectory.report).toMatchObject({ planned: 1, steps: [{ title: "double", ok: false, attempts: 3 }] });
    expect(model.requests.filter(({ at }) => at.role === "coder")).toHaveLength(6);
    expect(model.requests.filter(({ at }) => at.role === "reviewer").map(({ at }) => at.attempt)).toEqual([0, 0, 1, 1]);
    // a reviewer without advice leaves the coder with the failure itself
    const result = trajectory.step("run/implement")?.result;
    expect(result).toMatchObject({ ok: false, fault: { retryable: true } });
    expect(promptOf(model, "coder", 2)).toContain("SystemExit");
  });

  it("holds an early step to the tests that passed before it, and the last step to all", async () => {
    const { trajectory, model } = await run(javascript, {
      "run/plan|planner|0.0": planOf("greet", "shout"),
      "run/implement|coder|0.0": [write("greet.mjs", GREET)],
      "run/implement|coder|0.1": "Greets, and old is gone.",
      "run/implement|reviewer|0.0": "Keep old().",
      "run/implement|coder|1.0": [write("greet.mjs", OLD + GREET)],
      "run/implement|coder|1.1": "Greets.",
      "run/implement.2|coder|0.0": [write("greet.mjs", OLD + GREET + SHOUT)],
      "run/implement.2|coder|0.1": "Shouts.",
    });
    model.assertComplete();
    expect(trajectory.verdict.passed).toBe(true);
    expect(trajectory.report).toMatchObject({
      planned: 2,
      steps: [
        { ok: true, attempts: 2 },
        { ok: true, attempts: 1 },
      ],
    });
    expect(promptOf(model, "reviewer", 0)).toMatch(/<failure>.*keeps old/);
    expect(promptOf(model, "reviewer", 0)).not.toMatch(/<failure>.*shouts.*<\/failure>/);
    expect(promptOf(model, "coder", 0, "run/implement.2")).toContain("last of 2 steps");
  });

  const bare: Task = {
    id: "bare",
    prompt: "Write double(x) in double.py.",
    source: { files: { "README.md": "Nothing yet.\n" } },
  };
  const suite = (content: string) =>
    JSON.stringify({ runner: "pytest", files: [{ path: "tests/test_double.py", content }] });
  const GOOD_TESTS =
    "from double import double\n\ndef test_two():\n    assert double(2) == 4\n\ndef test_three():\n    assert double(3) == 6\n";

  it("has the tester write the tests of a task that brings none, once more when they are not admitted", async () => {
    const { trajectory, model } = await run(bare, {
      "run/write-tests|tester|0.0": suite("def test_nothing():\n    assert True\n"),
      "run/write-tests.2|tester|0.0": suite(GOOD_TESTS),
      "run/plan|planner|0.0": planOf("double"),
      "run/implement|coder|0.0": [RIGHT],
      "run/implement|coder|0.1": "Done.",
    });
    model.assertComplete();
    expect(trajectory.verdict).toMatchObject({ passed: true, oracle: "generated", signals: { testsPassed: 2 } });
    expect(promptOf(model, "tester", 0, "run/write-tests.2")).toMatch(/<reason>.+<\/reason>/);
    expect(promptOf(model, "coder", 0)).toContain("assert double(3) == 6");
  });

  it("reports failure when no suite is admitted, before anyone writes code", async () => {
    const { trajectory, model } = await run(bare, { "*|tester|*.*": suite("def test_nothing():\n    assert True\n") });
    expect(trajectory.verdict.passed).toBe(false);
    expect(trajectory.report).toMatchObject({ planned: 0, steps: [], problem: { code: "SUITE_INSENSITIVE" } });
    expect(model.requests.map(({ at }) => at.role)).toEqual(["tester", "tester"]);
  });

  it("reports a suite that never came, though it was asked for once more", async () => {
    const { trajectory } = await run(bare, { "run/write-tests|tester|*.*": "There is nothing to test." });
    expect(trajectory.report).toMatchObject({ planned: 0, problem: { code: "NO_VALID_OUTPUT" } });
    expect(trajectory.step("run/write-tests")?.result?.attempts).toBe(2);
  });

  it("tries a step again without advice where the reviewer cannot be reached", async () => {
    const { trajectory, model } = await run(python, ({ role, attempt, nth }) => {
      if (role === "planner") return planOf("double");
      if (role === "reviewer") throw new ProviderError("KEY_REFUSED", "no such key", { retryable: false });
      return nth > 0 ? "Done." : [attempt === 0 ? WRONG : RIGHT];
    });
    expect(trajectory.verdict.passed).toBe(true);
    expect(promptOf(model, "coder", 1)).not.toContain("advice");
  });

  it("reports a plan that never came, and a coder who refused without another try", async () => {
    const noPlan = await run(python, { "run/plan|planner|*.*": "I have no plan." });
    expect(noPlan.trajectory.report).toMatchObject({ planned: 0, problem: { code: "NO_VALID_OUTPUT" } });
    const refused = await run(python, {
      "run/plan|planner|0.0": planOf("double"),
      "run/implement|coder|0.0": { parts: [], stop: "refusal", tokens: null },
    });
    const steps = [{ title: "double", ok: false, attempts: 1 }];
    expect(refused.trajectory.report).toMatchObject({ steps, problem: { code: "MODEL_REFUSED" } });
  });

  it("ends with a verdict and within its bounds, whatever the model does", async () => {
    for (const seed of [0, 1, 2, 3]) {
      const chaos = chaosModel(seed);
      const team = codeswarm({ model: chaos, maxRetries: 1, maxSteps: 2 });
      const trajectory = await runTask(seed % 2 === 0 ? python : bare, { ...ports(), team });
      assertSoundRun(trajectory);
      const { verdict, usage } = trajectory;
      expect(verdict).toMatchObject({ passed: false, outcome: "failed" });
      // of each attempt: 6 + 2 for tests (4 of them), 5 + 2 for a plan (2), 10 + 5 for a step (4)
      expect(usage.modelCalls).toBeLessThanOrEqual(4 * 8 + 2 * 7 + 4 * 15);
    }
  });

  it("ends at once when it is aborted", async () => {
    const abort = new AbortController();
    const { trajectory } = await run(
      python,
      ({ role }) => {
        if (role === "planner") return planOf("double");
        abort.abort(new Error("enough"));
        return [RIGHT];
      },
      { signal: abort.signal },
    );
    expect(trajectory.verdict).toMatchObject({ passed: false, outcome: "aborted", reasons: ["enough"] });
  });
});

describe("a race for a step", () => {
  /** What `run` started here and is still there. */
  const sleeping = (seconds: string) =>
    readdirSync("/proc")
      .filter((name) => /^\d+$/.test(name) && existsSync(`/proc/${name}/cmdline`))
      .filter((pid) => commandOf(pid) === `sleep\0${seconds}\0`);
  const commandOf = (pid: string) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, "utf8");
    } catch {
      return ""; // it ended meanwhile
    }
  };
  const SECONDS = `${100_000 + process.pid}.5`;
  const RACE: Script = {
    "run/plan|planner|0.0": planOf("double"),
    "run/race-implement/0/implement|coder|0.0": [
      write("double.py", `import subprocess\nsubprocess.run(["sleep", "${SECONDS}"])\n`),
    ],
    "run/race-implement/0/implement|coder|0.1": [{ tool: "run_tests", args: {} }],
    "run/race-implement/1/implement|coder|0.0": [WRONG],
    "run/race-implement/1/implement|coder|0.1": "Done.",
    "run/race-implement/1/implement|reviewer|0.0": "Twice, not squared.",
    "run/race-implement/1/implement|coder|1.0": [RIGHT],
    "run/race-implement/1/implement|coder|1.1": "Done.",
    "run/race-implement/2/implement|coder|*.*": "Nothing to do.",
    "run/race-implement/2/implement|reviewer|*.*": "Do something.",
  };

  it("is won by the candidate whose tests pass; the others end with their processes, and a replay follows", async () => {
    const race = [{}, { hint: "Mind the name.", effort: "high" }, { temperature: 1 }] as const;
    const { trajectory, model, runOptions } = await run(python, RACE, { race, maxRetries: 1 });
    expect(trajectory.verdict.passed).toBe(true);
    expect(trajectory.report).toMatchObject({ steps: [{ title: "double", ok: true, attempts: 2 }], problem: null });
    expect(promptOf(model, "coder", 0, "run/race-implement/1/implement")).toContain("Mind the name.");
    const asked = (branch: number) =>
      model.requests.find(({ at }) => at.stepId.startsWith(`run/race-implement/${branch}/`))?.request;
    expect([0, 1, 2].map((branch) => [asked(branch)?.effort, asked(branch)?.temperature])).toEqual([
      [undefined, undefined],
      ["high", undefined],
      [undefined, 1],
    ]);
    const slept = trajectory.step("run/race-implement/0/implement")!.events;
    expect(slept.some(({ payload }) => payload.type === "begin" && payload.call.op === "tool")).toBe(true);
    expect(slept.at(-1)?.payload).toMatchObject({ type: "end", fault: { code: "ABORTED" } });
    expect(sleeping(SECONDS)).toEqual([]);
    expect((await replayRun(trajectory.runId, runOptions)).divergence).toBeNull();
  });

  it("of a number has a hint for each candidate but the first, and stands in the team's configuration", () => {
    const model = scripted("test:model", {});
    const team = codeswarm({ model, race: 3 });
    const race = team.config["race"] as { hint?: string }[];
    expect(race.map(({ hint }) => typeof hint)).toEqual(["undefined", "string", "string"]);
    expect(codeswarmFrom(team, () => model).config).toEqual(team.config);
    expect(codeswarm({ model, race: 1 }).config).toEqual(codeswarm({ model }).config);
  });
});

describe("a codeswarm team", () => {
  const weak = scripted("test:weak", {});
  const strong = scripted("test:strong", {});
  const team = codeswarm({
    model: weak,
    models: { coder: [strong, weak], reviewer: strong },
    effort: { reviewer: "high" },
    maxRetries: 1,
  });

  const rolesOf = ({ roles }: Team) =>
    Object.entries(roles).map(([name, role]) => ({ name, ...role, tools: role.tools.map(toolSpec) }));

  it("is the same when it is made from its reference as plain JSON", () => {
    const ref = JSON.parse(JSON.stringify({ name: team.name, version: team.version, config: team.config }));
    const again = codeswarmFrom(ref, (id) => (id === strong.id ? strong : weak));
    expect(again).toMatchObject({ name: team.name, version: team.version, config: team.config });
    expect(rolesOf(again)).toEqual(rolesOf(team));
    expect(team.config).toEqual({
      models: {
        planner: ["test:weak"],
        coder: ["test:strong", "test:weak"],
        tester: ["test:weak"],
        reviewer: ["test:strong"],
      },
      effort: { reviewer: "high" },
      maxRetries: 1,
      maxSteps: 10,
      calls: { planner: 7, coder: 10, tester: 8, reviewer: 5 },
      maxTokens: {},
      windowTurns: 10,
      memory: null,
    });
  });

  it("lets only the coder change files", () => {
    const writers = Object.entries(team.roles).filter(([, role]) => role.tools.some((tool) => tool.effect !== "none"));
    expect(writers.map(([name]) => name)).toEqual(["coder"]);
  });

  it("gives each role its tools and no others", () => {
    const toolsOf = Object.fromEntries(rolesOf(team).map(({ name, tools }) => [name, tools.map((tool) => tool.name)]));
    const reading = ["read_file", "list_dir", "search"];
    expect(toolsOf).toEqual({
      planner: reading,
      coder: [...reading, "write_file", "edit_file", "apply_patch", "run_tests"],
      tester: ["read_file", "run_tests"],
      reviewer: reading,
    });
  });

  it.each([
    [
      "an unknown role",
      { models: { coderr: weak } as never },
      /^models\.coderr: is no role; the roles are planner, coder/,
    ],
    ["effort of an unknown role", { effort: { pm: "low" } as never }, /^effort\.pm: is no role/],
    ["an unknown effort", { effort: { coder: "huge" } as never }, /^effort\.coder: /],
    ["a role without a model", { models: { coder: [] as never } }, /^models\.coder: is missing/],
    ["too many steps", { maxSteps: 11 }, /^maxSteps: /],
    ["no token", { maxTokens: { coder: 0 } }, /^maxTokens\.coder: /],
    ["no call", { calls: { coder: 0 } }, /^calls\.coder: /],
    ["a window without turns", { windowTurns: 0 }, /^windowTurns: /],
    [
      "a memory that tells nothing",
      { memory: { store: sqliteMemory({ file: ":memory:" }), topK: 0 } },
      /^memory\.topK: /,
    ],
    ["half a retry", { maxRetries: 0.5 }, /^maxRetries: /],
    ["a race of too many", { race: 6 }, /^race: has to be a whole number from 1 to 5, and is 6/],
    ["a race of one by name", { race: [{}] }, /^race: /],
    ["a race of a model that the coder has not", { race: [{}, { model: "a:b" }] }, /^race\[1\]\.model: a:b is none of/],
    ["a race of nothing", { race: [{}, { heat: 1 }] as never }, /^race\.1\.heat|^race\[1\]\.heat/],
  ])("refuses %s", (_, options, message) => {
    expect(() => codeswarm({ model: weak, ...options })).toThrow(message);
  });

  it.each([
    ["another team", { name: "solo" }, /^team\.name: "solo" is not codeswarm/],
    ["another version", { version: "0" }, /^team\.version: .*version 5, and 0 is asked for/],
    ["another configuration", { config: { ...team.config, apiKey: "k" } }, /^apiKey: /],
  ])("refuses the reference of %s", (_, changes, message) => {
    const ref = { name: team.name, version: team.version, config: team.config, ...changes };
    expect(() => codeswarmFrom(ref, () => weak)).toThrow(message);
  });
});
