import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  createGuard,
  type JsonObject,
  LocalExecutor,
  memoryLogStore,
  type Oracle,
  ProviderError,
  type RunOptions,
  resumeRun,
  runTask,
  startRun,
  type Task,
  type Trajectory,
} from "@swarm/core";
import {
  type Answer,
  assertReplays,
  assertSoundRun,
  type Script,
  type ScriptedClient,
  scripted,
} from "@swarm/core/testing";
import { cleanRoomOracle } from "@swarm/oracle";
import { localSandbox } from "@swarm/sandbox";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type DevTeamOptions, devTeam, devTeamFrom } from "./dev-team.ts";
import type { Spec } from "./spec.ts";
import type { DevTeamReport } from "./workflow.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "dev-team-test-"));
});
afterEach(() => rm(folder, { recursive: true }));

const ORACLE = cleanRoomOracle();
type Ran = { trajectory: Trajectory; report: DevTeamReport; model: ScriptedClient; runOptions: RunOptions };

/** Runs the team on a script, in plain processes. */
async function run(
  script: Script,
  { task = PLAIN, ...more }: Partial<DevTeamOptions> & { task?: Task; options?: Partial<RunOptions> } = {},
): Promise<Ran> {
  const { options = {}, ...teamOptions } = more;
  const model = scripted("test:model", script);
  const runOptions: RunOptions = {
    team: devTeam({ model, ...teamOptions }),
    sandbox: localSandbox({ store: join(folder, "objects"), isolation: "none" }),
    store: memoryLogStore(),
    oracle: CHECKING,
    ...options,
  };
  const trajectory = await runTask(task, runOptions);
  assertSoundRun(trajectory);
  return { trajectory, report: trajectory.report as DevTeamReport, model, runOptions };
}

/** The oracle without its further checks of what passed, which take time and are not what is tested here. */
const CHECKING: Oracle = {
  ...ORACLE,
  verify: (input, context) => ORACLE.verify({ ...input, depth: "check" }, context),
};

const PLAIN: Task = { id: "numbers", prompt: "Write double(x) and triple(x).", source: { files: {} } };
const write = (path: string, content: string) => ({ tool: "write_file", args: { path, content } });
const finish = (entryPoint: string, explanation = "It is built.") => ({
  tool: "finish",
  args: { explanation, plan: "Wrote it.", entryPoint },
});

const spec = (...tasks: string[]): Spec => ({
  criteria: tasks.map((name, nth) => ({ id: `AC${nth + 1}`, text: `${name}(x) gives ${name} the number.` })),
  tasks: tasks.map((name, nth) => ({
    id: `T${nth + 1}`,
    title: `Write ${name}`,
    instructions: `Write ${name}(x) in ${name}.py.`,
    covers: [`AC${nth + 1}`],
  })),
});
const drafted = (...tasks: string[]) => ({ "run/draft-spec|pm|0.0": JSON.stringify(spec(...tasks)) });

/** Answers of the coder in a step: the files, then finish. */
const files = (step: string, written: Record<string, string>, explanation?: string): Record<string, Answer> => ({
  [`run/${step}|coder|0.0`]: Object.entries(written).map(([path, content]) => write(path, content)),
  [`run/${step}|coder|0.1`]: [finish(Object.keys(written)[0]!, explanation)],
});
const CRITIQUE = JSON.stringify({ bugs: ["none found"], edgeCases: [], revision: "Say what it does." });
const revision = (step: string, written: Record<string, string>): Record<string, Answer> => ({
  [`run/${step}|coder|0.0`]: CRITIQUE,
  [`run/${step}|coder|0.1`]: Object.entries(written).map(([path, content]) => write(path, content)),
  [`run/${step}|coder|0.2`]: [finish(Object.keys(written)[0]!)],
});
const suite = (name: string, criterion: string, asserted: string, notes = "") =>
  JSON.stringify({
    runner: "pytest",
    setup: `from ${name} import ${name}`,
    tests: [
      { name: `test_${name}`, criteria: [criterion], code: `def test_${name}():\n    assert ${asserted}` },
      {
        name: `test_${name}_of_nothing`,
        criteria: [criterion],
        code: `def test_${name}_of_nothing():\n    assert ${name}(0) == 0`,
      },
    ],
    notes,
  });
const RIGHT_AS_IT_IS = JSON.stringify({ corrections: [], setup: null, notes: "" });

const code = (name: string, expression: string) => ({ [`${name}.py`]: `def ${name}(x):\n    return ${expression}\n` });
const better = (name: string, expression: string) => ({
  [`${name}.py`]: `def ${name}(x):\n    """It gives ${name} the number."""\n    return ${expression}\n`,
});
/** A task whose first delivery is wrong in the same way after its revision. */
const wrongDouble = { ...files("build", code("double", "x + 2")), ...revision("revise", better("double", "x + 2")) };
const rightDouble = { ...files("build", code("double", "2 * x")), ...revision("revise", better("double", "2 * x")) };
const doubleSuite = { "run/write-suite|qa|0.0": suite("double", "AC1", "double(3) == 6") };

const notesOf = ({ trajectory }: Ran, name: string) =>
  trajectory.events.flatMap(({ payload }) =>
    payload.type === "note" && name in payload.note ? [payload.note[name] as JsonObject] : [],
  );
const promptOf = ({ model }: Ran, stepId: string, role: string) =>
  JSON.stringify(model.requests.find(({ at }) => at.stepId === `run/${stepId}` && at.role === role)?.request.turns);

describe("a run", () => {
  it("is specified, built, revised, tested and approved, task by task", async () => {
    const ran = await run({
      ...drafted("double", "triple"),
      ...rightDouble,
      ...doubleSuite,
      ...files("build.2", code("triple", "3 * x")),
      ...revision("revise.2", better("triple", "3 * x")),
      "run/write-suite.2|qa|0.0": suite("triple", "AC2", "triple(3) == 9"),
    });
    ran.model.assertComplete();
    expect(ran.trajectory.verdict).toMatchObject({ passed: true, oracle: "generated" });
    expect(ran.report).toMatchObject({
      status: "completed",
      tasks: [
        { id: "T1", status: "approved", rounds: 1, reason: null },
        { id: "T2", status: "approved", rounds: 1, reason: null },
      ],
      consolidation: null,
      corrections: [],
      rejectedMessages: 0,
      problem: null,
    });
    // the second review holds the work against the first task's suite, too
    const tests = ran.trajectory
      .step("run/review.2")
      ?.events.flatMap(({ payload }) =>
        payload.type === "begin" && payload.call.op === "test" ? [payload.call.suites] : [],
      );
    expect(tests).toEqual([["T1", "T2"]]);
    expect(promptOf(ran, "write-suite", "qa")).not.toContain("return 2"); // QA sees no code
    const { team, sandbox, oracle } = ran.runOptions;
    await assertReplays(ran.trajectory, { team, sandbox: sandbox!, oracle: oracle! });
  });

  it("has its bug caught by a suite and mended on the code that failed", async () => {
    const ran = await run({
      ...drafted("double"),
      ...wrongDouble,
      ...doubleSuite,
      "run/audit-suite|qa|0.0": RIGHT_AS_IT_IS,
      ...files("fix", code("double", "2 * x")),
    });
    ran.model.assertComplete();
    expect(ran.trajectory.verdict.passed).toBe(true);
    expect(ran.report).toMatchObject({ status: "completed", tasks: [{ status: "approved", rounds: 2 }] });
    const told = promptOf(ran, "fix", "coder");
    expect(told).toMatch(/test_double.*assert 5 == 6/s);
    expect(told).toContain("double.py"); // the failed code is still there
    const messages = notesOf(ran, "a2a").flatMap(({ message }) => (message ? [(message as JsonObject)["intent"]] : []));
    expect(messages).toEqual(["review_request", "fix_instruction", "review_request", "approved"]);
    const [fixing] = notesOf(ran, "a2a").filter(
      ({ message }) => (message as JsonObject | undefined)?.["intent"] === "fix_instruction",
    );
    expect((fixing?.["message"] as JsonObject)["payload"]).toMatchObject({
      failures: [
        { test: "tests/test_qa_t1.py::test_double", criteria: ["AC1"], error: "AssertionError" },
        { test: "tests/test_qa_t1.py::test_double_of_nothing" },
      ],
    });
  });
});
