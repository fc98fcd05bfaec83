import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  memoryLogStore,
  ProviderError,
  type RunOptions,
  replayRun,
  runTask,
  SandboxError,
  type Task,
  type TestRunner,
  type Trajectory,
} from "@swarm/core";
import { type Answer, assertSoundRun, type Script, scripted } from "@swarm/core/testing";
import { localSandbox } from "@swarm/sandbox";
import { loadTask, mockModel } from "@swarm/tasks";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type SelfHealingOptions, selfHealing, selfHealingFrom } from "./self-healing.ts";
import type { SelfHealingReport } from "./workflow.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "self-healing-test-"));
});
afterEach(() => rm(folder, { recursive: true }));

type Ran = {
  trajectory: Trajectory;
  report: SelfHealingReport;
  model: ReturnType<typeof scripted>;
  runOptions: RunOptions;
};

/** Back-offs pass at once. */
function immediately(_ms: number, callback: () => void): () => void {
  const timer = setTimeout(callback, 0);
  return () => clearTimeout(timer);
}

/** Runs the team on a script, in plain processes. */
async function run(
  task: Task,
  script: Script,
  options: Partial<SelfHealingOptions> = {},
  ports: Pick<RunOptions, "tests"> = {},
): Promise<Ran> {
  const model = scripted("test:model", script);
  const runOptions = {
    team: selfHealing({ model, ...options }),
    sandbox: localSandbox({ store: join(folder, "objects"), isolation: "none" }),
    store: memoryLogStore(),
    clock: { now: () => Date.now(), after: immediately },
    ...ports,
  };
  const trajectory = await runTask(task, runOptions);
  assertSoundRun(trajectory);
  return { trajectory, report: trajectory.report as SelfHealingReport, model, runOptions };
}

const write = (path: string, content: string) => ({ tool: "write_file", args: { path, content } });
const task: Task = {
  id: "double",
  prompt: "Write double(x) in double.py: it gives twice the number.",
  source: { files: { "double.py": "def double(x):\n    raise NotImplementedError\n" } },
};
const TEST = "from double import double\n\ndef test_two():\n    assert double(3) == 6\n";
const withTests: Task = { ...task, testFiles: { "tests/test_double.py": TEST }, oracle: { runner: "pytest" } };
const suite = (content: string) => ({ runner: "pytest", files: [{ path: "tests/test_double.py", content }] });

const WRONG = write("double.py", "from factor import FACTOR\n\ndef double(x):\n    return x + FACTOR\n");
const FACTOR = write("factor.py", "FACTOR = 2\n");
const WORSE = write("double.py", "def double(x):\n    return x ** 2\n");
const RIGHT = write("double.py", "from factor import FACTOR\n\ndef double(x):\n    return x * FACTOR\n");

const SPECIFIED = JSON.stringify({ specification: "double(x) is twice x, for any number." });
const developed = {
  "run/design|architect|0.0": SPECIFIED,
  "run/develop|developer|0.0": [WRONG, FACTOR],
  "run/develop|developer|0.1": "Built double().",
};
const repairs = (nth: string, change: ReturnType<typeof write>, diagnosis: string) => ({
  [`run/repair${nth}|debugger|0.0`]: [change],
  [`run/repair${nth}|debugger|0.1`]: diagnosis,
});
const CLOSED = { "run/close|reviewer|0.0": "double() is built in double.py." };
const promptOf = ({ model }: Ran, stepId: string) =>
  JSON.stringify(model.requests.find(({ at }) => at.stepId === stepId)?.request.turns);

describe("a run", () => {
  it("is specified, built, tested, repaired on the failed code, and closed with a report", async () => {
    const script = { ...developed, ...repairs("", RIGHT, "It added FACTOR; it has to multiply by it."), ...CLOSED };
    const ran = await run(withTests, script);
    ran.model.assertComplete();
    expect(ran.trajectory.verdict.passed).toBe(true);
    expect(ran.report).toEqual({
      tests: "passed",
      diagnoses: ["It added FACTOR; it has to multiply by it."],
      report: "The tests pass after 1 repair. double() is built in double.py.",
      problem: null,
    });
    expect(promptOf(ran, "run/develop")).toContain("double(x) is twice x");
    expect(promptOf(ran, "run/develop")).toContain("def test_two()");
    // the code that failed is there, and what it failed with
    expect(promptOf(ran, "run/repair")).toContain("factor.py");
    expect(promptOf(ran, "run/repair")).toMatch(/test_two.*assert 5 == 6/s);
    expect((await replayRun(ran.trajectory.runId, ran.runOptions)).divergence).toBeNull();
  });

  it("spends no model call on its tests, and calls no debugger when they pass at once", async () => {
    const script = { ...developed, "run/develop|developer|0.0": [RIGHT, FACTOR], ...CLOSED };
    const { trajectory, report, model } = await run(withTests, script);
    model.assertComplete();
    expect(report).toMatchObject({ tests: "passed", diagnoses: [] });
    const kinds = new Set(trajectory.step("run/run-tests")?.events.map(({ kind }) => kind));
    expect([...kinds].sort()).toEqual(["checkpoint", "test"]);
  });

  it("ends at the cap with a warning, and shows each repair what was thought before", async () => {
    const script = {
      ...developed,
      ...repairs("", WORSE, "It has to be a power."),
      ...repairs(".2", WORSE, "The power is right, the test is not."),
      ...CLOSED,
    };
    const ran = await run(withTests, script, { maxDebugIterations: 2 });
    ran.model.assertComplete();
    expect(ran.trajectory.verdict).toMatchObject({ passed: false, outcome: "failed" });
    expect(ran.report).toMatchObject({ tests: "capped", diagnoses: [expect.anything(), expect.anything()] });
    expect(ran.report.report).toMatch(/^Warning: the tests still fail after 2 repairs/);
    expect(promptOf(ran, "run/repair")).not.toContain("It has to be a power.");
    expect(promptOf(ran, "run/repair.2")).toContain("It has to be a power.");
    expect(ran.trajectory.failureSignature).not.toBeNull();
  });

  it("has no debugger look for the fault of a runner that breaks", async () => {
    const tests: TestRunner = { run: () => Promise.reject(new SandboxError("no space left")) };
    const { trajectory, report, model } = await run(withTests, { ...developed, ...CLOSED }, {}, { tests });
    model.assertComplete();
    expect(report).toMatchObject({ tests: "none", diagnoses: [], problem: { code: "SANDBOX_FAILED" } });
    expect(report.report).toMatch(/^Warning: the tests could not be run without a repair\. double\(\) is built/);
    expect(trajectory.verdict.passed).toBe(false); // the clean room runs them for itself
  });

  it("escalates the debugger after a repair that did not help", async () => {
    const stronger = scripted("test:stronger", repairs(".2", RIGHT, "Multiply."));
    const script = { ...developed, ...repairs("", WORSE, "A power."), ...CLOSED };
    const { report, model } = await run(withTests, script, { escalation: { model: stronger, effort: "high" } });
    model.assertComplete();
    stronger.assertComplete();
    expect(report).toMatchObject({ tests: "passed", diagnoses: ["A power.", "Multiply."] });
    expect(stronger.requests[0]?.request.effort).toBe("high");
  });

  it("keeps the report under 150 words, and does without one when nobody writes it", async () => {
    const right = { ...developed, "run/develop|developer|0.0": [RIGHT, FACTOR] };
    const long = await run(withTests, { ...right, "run/close|reviewer|0.0": "word ".repeat(400) });
    expect(long.report.report.split(/\s+/).length).toBeLessThanOrEqual(150);
    expect(long.report.report).toMatch(/^The tests pass without a repair\. word .*…$/);
    const none = await run(withTests, right);
    expect(none.report).toMatchObject({ tests: "passed", report: "The tests pass without a repair." });
    expect(none.trajectory.verdict.passed).toBe(true);
  });
});

describe("a model that does not do its part", () => {
  it("and cannot be reached is asked once more, from the files before its step", async () => {
    const answers: Record<string, Answer> = {
      "run/design|architect|1.0": SPECIFIED,
      "run/develop|developer|1.0": [WRONG, FACTOR],
      "run/develop|developer|1.1": "Built double().",
      "run/repair|debugger|1.0": [RIGHT],
      "run/repair|debugger|1.1": "It added.",
      ...CLOSED,
    };
    const ran = await run(withTests, ({ stepId, role, attempt, nth }) => {
      const answer = answers[`${stepId}|${role}|${attempt}.${nth}`];
      if (answer === undefined) throw new ProviderError("OVERLOADED", "busy", { retryable: true });
      return answer;
    });
    expect(ran.trajectory.verdict.passed).toBe(true);
    expect(ran.report).toMatchObject({ tests: "passed", diagnoses: ["It added."], problem: null });
    const attempts = ["design", "develop", "run-tests", "repair", "close"].map(
      (program) => ran.trajectory.step(`run/${program}`)?.result?.attempts,
    );
    expect(attempts).toEqual([2, 2, 1, 2, 1]);
  });

  const REFUSED: Answer = { parts: [], stop: "refusal", tokens: null };
  it.each<[string, Script & object, Partial<SelfHealingReport>]>([
    ["the architect", { "run/design|architect|0.0": REFUSED }, { tests: "none", report: "" }],
    ["the developer", { ...developed, "run/develop|developer|0.0": REFUSED }, { tests: "none", report: "" }],
    ["the debugger", { ...developed, "run/repair|debugger|0.0": REFUSED, ...CLOSED }, { tests: "capped" }],
  ])("but refuses ends the work, and the report says so: %s", async (_, script, expected) => {
    const { report, trajectory } = await run(withTests, script);
    expect(report).toMatchObject({ ...expected, diagnoses: [], problem: { code: "MODEL_REFUSED" } });
    expect(trajectory.verdict).toMatchObject({ passed: false, outcome: "failed" });
  });
});

describe("a race in a rate limiter", () => {
  const play = async (story?: "never") => {
    const loaded = await loadTask("rate-limiter");
    return await runTask(loaded.task, {
      team: selfHealing({ model: mockModel(loaded, { team: "self-healing", story }), maxDebugIterations: 1 }),
      sandbox: localSandbox({ store: join(folder, "objects"), isolation: "none" }),
      store: memoryLogStore(),
    });
  };

  it("is found by its tests, diagnosed and repaired", async () => {
    const { verdict, report, events } = await play();
    expect(verdict.passed).toBe(true);
    expect(report).toMatchObject({ tests: "passed", diagnoses: [expect.stringContaining("Hold one threading.Lock")] });
    const faults = events.flatMap(({ payload }) => (payload.type === "fault" ? [payload.fault.message] : []));
    expect(faults).toEqual([expect.stringContaining("test_two_threads_do_not_share_one_place")]);
  });

  it("that no repair mends hits the cap", async () => {
    const { verdict, report } = await play("never");
    expect(verdict).toMatchObject({ passed: false, outcome: "failed" });
    expect(report).toMatchObject({ tests: "capped", report: expect.stringMatching(/^Warning: the tests still fail/) });
  });
});

describe("a task without tests", () => {
  const designed = (content: string) => JSON.stringify({ specification: "Twice x.", suite: suite(content) });

  it("gets the architect's, frozen before the developer starts", async () => {
    const script = { ...developed, "run/design|architect|0.0": designed(TEST), ...CLOSED };
    const ran = await run(task, { ...script, ...repairs("", RIGHT, "It added.") });
    expect(ran.trajectory.verdict).toMatchObject({ passed: true, outcome: "passed", oracle: "generated" });
    expect(ran.report.tests).toBe("passed");
    expect(promptOf(ran, "run/develop")).toContain("def test_two()");
  });

  it("asks once more for tests that pass on what is there, and ends when those are no better", async () => {
    const empty = "def test_nothing():\n    assert 1 == 1\n";
    const mended = { ...developed, "run/design|architect|0.0": designed(empty) };
    const ran = await run(task, {
      ...mended,
      "run/design.2|architect|0.0": designed(TEST),
      "run/develop|developer|0.0": [RIGHT, FACTOR],
      ...CLOSED,
    });
    expect(ran.report.tests).toBe("passed");
    expect(promptOf(ran, "run/design.2")).toContain("test_nothing");

    const twice = { "run/design|architect|0.0": designed(empty), "run/design.2|architect|0.0": designed(empty) };
    const { report, trajectory } = await run(task, twice);
    expect(report).toMatchObject({ tests: "none", problem: { code: expect.any(String) } });
    expect(trajectory.verdict.passed).toBe(false);
  });
});

describe("the team", () => {
  const model = scripted("test:model", {});

  it("is the same from its reference", () => {
    const stronger = scripted("test:stronger", {});
    const team = selfHealing({ model, escalation: { model: stronger }, temperature: { debugger: 0.5 } });
    const clients = new Map([model, stronger].map((client) => [client.id, client]));
    const again = selfHealingFrom(team, (id) => clients.get(id)!);
    expect(again.config).toEqual(team.config);
    expect(again.roles["debugger"]?.models.map(({ id }) => id)).toEqual(["test:model", "test:stronger"]);
    expect(again.roles["debugger"]).toMatchObject({ temperature: 0.5, effort: "high" });
    expect(again.roles["architect"]?.tools.map(({ name }) => name)).toEqual(["read_file", "list_dir", "search"]);
    expect(again.roles["developer"]?.tools.map(({ name }) => name)).not.toContain("run");
  });

  it("refuses what cannot be right", () => {
    const from = (change: object) => () => selfHealingFrom({ ...selfHealing({ model }), ...change }, () => model);
    expect(from({ version: "0" })).toThrow(/team.version: this package makes version 5, and 0 is asked for/);
    expect(from({ name: "codeswarm" })).toThrow(/team.name: "codeswarm" is not self-healing/);
    expect(() => selfHealing({ model, maxDebugIterations: 11 })).toThrow(/maxDebugIterations: Too big/);
    expect(() => selfHealing({ model, models: { coder: model } as never })).toThrow(/models.coder: is no role/);
  });
});
