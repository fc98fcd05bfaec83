import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  memoryLogStore,
  type RunOptions,
  replayRun,
  resumeRun,
  runTask,
  type Task,
  type Trajectory,
  taskOf,
  turnsOf,
} from "@swarm/core";
import { type Answer, assertSoundRun, scripted } from "@swarm/core/testing";
import { localSandbox } from "@swarm/sandbox";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type CoderTeamOptions, coder, coderFrom } from "./coder.ts";
import type { CoderReport } from "./workflow.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "coder-test-"));
});
afterEach(() => rm(folder, { recursive: true }));

type Ran = {
  trajectory: Trajectory;
  report: CoderReport;
  runOptions: RunOptions;
  /** Its files, and whether they are verified. */
  files: Record<string, boolean>;
  prompts: string[];
};

/** Runs the coder on its answers, in plain processes. */
async function run(answers: Answer[], options: Partial<CoderTeamOptions> = {}, task = REQUEST): Promise<Ran> {
  const model = scripted("test:model", Object.fromEntries(answers.map((one, nth) => [`run/work|coder|0.${nth}`, one])));
  const runOptions: RunOptions = {
    team: coder({ model, ...options }),
    sandbox: localSandbox({ store: join(folder, "objects"), isolation: "none" }),
    store: memoryLogStore(),
  };
  const trajectory = await runTask(task, runOptions);
  assertSoundRun(trajectory);
  model.assertComplete();
  const report = trajectory.report as CoderReport;
  return {
    trajectory,
    report,
    runOptions,
    files: Object.fromEntries(report.files.map(({ path, verified }) => [path, verified])),
    prompts: model.requests.map(({ request }) => JSON.stringify(request.turns)),
  };
}

const REQUEST = taskOf("Write fizzbuzz.py with tests and run them.");
const write = (path: string, content: string) => ({ tool: "write_file", args: { path, content } });
const execute = (...argv: string[]) => ({ tool: "run", args: { argv, timeoutSeconds: 60 } });
const finish = {
  tool: "finish",
  args: { explanation: "It is there.", plan: "Wrote it.\nRan it.", entryPoint: "fizzbuzz.py" },
};

const code = (text: string) => write("fizzbuzz.py", `def fizzbuzz(n):\n    return ${text}\n`);
const RIGHT = code('"Fizz" * (n % 3 == 0) + "Buzz" * (n % 5 == 0) or str(n)');
const WRONG = code("str(n)");
const TESTS = write(
  "test_fizzbuzz.py",
  "from fizzbuzz import fizzbuzz\n\ndef test_fifteen():\n    assert fizzbuzz(15) == 'FizzBuzz'\n",
);
/** Tests that no runner takes for its own. */
const CHECK = write("check.py", "from fizzbuzz import fizzbuzz\n\nassert fizzbuzz(15) == 'FizzBuzz'\n");
const TRY = execute("python3", "check.py");
const IMPORT = execute("python3", "-c", "import fizzbuzz");

describe("a plain request", () => {
  it("ends by finish, and is judged by the tests that the coder wrote", async () => {
    const pytest = execute("python3", "-m", "pytest", "-q");
    const { trajectory, report, runOptions, prompts } = await run([[RIGHT, TESTS], [pytest], [finish]]);
    const asked = trajectory.events.filter(({ payload }) => payload.type === "begin" && payload.call.op === "model");
    const logged = asked.map(({ stepId, key }) => JSON.stringify(turnsOf(trajectory.events, stepId, key ?? "")));
    expect(logged).toEqual(prompts);
    expect((await replayRun(trajectory.runId, runOptions)).divergence).toBeNull();
    expect(trajectory.verdict).toMatchObject({ passed: true, outcome: "passed", oracle: "generated" });
    expect(report).toEqual({
      status: "completed",
      end: "finished",
      calls: 3,
      summary: "It is there.",
      steps: [{ title: "Wrote it." }, { title: "Ran it." }],
      entryPoint: "fizzbuzz.py",
      files: ["fizzbuzz.py", "test_fizzbuzz.py"].map((path) => ({
        path,
        sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
        verified: true,
      })),
      tests: ["test_fizzbuzz.py"],
      problem: null,
    });
  });

  it("may be of several languages, each with its tests", async () => {
    const module = write("fizz.mjs", 'export const fizz = () => "Fizz";\n');
    const test = write(
      "fizz.test.mjs",
      'import assert from "node:assert";\nimport { test } from "node:test";\nimport { fizz } from "./fizz.mjs";\ntest("fizz", () => assert.equal(fizz(), "Fizz"));\n',
    );
    const end = { ...finish, args: { ...finish.args, entryPoint: "fizz.mjs" } };
    const { trajectory, report, files } = await run([[module, test, RIGHT, TESTS], [execute("node", "--test")], [end]]);
    expect(trajectory.verdict).toMatchObject({ passed: true, oracle: "generated", signals: { testsPassed: 2 } });
    expect(report.tests).toEqual(["test_fizzbuzz.py", "fizz.test.mjs"]);
    expect(files).toMatchObject({ "fizz.mjs": true, "fizz.test.mjs": true, "fizzbuzz.py": false });
  });

  it("does not pass without tests, with such as say nothing, or with such as fail", async () => {
    const none = await run([[RIGHT], [IMPORT], [finish]]);
    expect(none.trajectory.verdict).toMatchObject({ passed: false, outcome: "failed" });
    expect(none.trajectory.verdict.reasons).toContain("no test ran: there is no suite to judge by");
    expect(none.report).toMatchObject({ status: "completed", tests: [], problem: { code: "NO_TESTS" } });
    expect(none.files).toEqual({ "fizzbuzz.py": true });

    const empty = await run([[RIGHT, write("test_it.py", "def test_it():\n    assert True\n")], [finish]]);
    expect(empty.report).toMatchObject({ tests: [], problem: { code: "SUITE_INSENSITIVE" } });
    expect(empty.trajectory.verdict.passed).toBe(false);

    const wrong = await run([[WRONG, TESTS], [finish]]);
    expect(wrong.trajectory.verdict).toMatchObject({ passed: false, outcome: "failed", oracle: "generated" });
  });

  it("does not pass by the tests of one language where those of another say nothing", async () => {
    const empty = write("own.test.mjs", 'import { test } from "node:test";\ntest("nothing", () => {});\n');
    const { trajectory, report } = await run([[RIGHT, TESTS, empty], [finish]]);
    expect(report).toMatchObject({ tests: [], problem: { code: "SUITE_INSENSITIVE" } });
    expect(trajectory.verdict.passed).toBe(false);
  });

  it("may leave links that lead out of the workspace: they are no code, and no tests", async () => {
    const link = (name: string) => execute("ln", "-s", "/etc/passwd", name);
    const { trajectory, files } = await run([[RIGHT, TESTS], [link("link.py"), link("test_link.py")], [finish]]);
    expect(trajectory.verdict).toMatchObject({ passed: true, oracle: "generated" });
    expect(Object.keys(files)).toEqual(["fizzbuzz.py", "test_fizzbuzz.py"]);
  });

  it("that is not ended within the limit does not pass, whatever its tests say", async () => {
    const { trajectory, report, files } = await run([[RIGHT, CHECK], [TRY], [TESTS]], { maxCalls: 3 });
    expect(report).toMatchObject({
      status: "partial",
      end: "calls-spent",
      tests: [],
      problem: { code: "NOT_FINISHED" },
    });
    expect(files).toEqual({ "check.py": true, "fizzbuzz.py": true }); // what the last call asked for was not run
    expect(trajectory.verdict.passed).toBe(false);
  });

  it("that is refused fails", async () => {
    const refused: Answer = { parts: [{ type: "text", text: "No." }], stop: "refusal", tokens: null };
    const { report } = await run([refused]);
    expect(report).toMatchObject({ status: "failed", problem: { code: "MODEL_REFUSED" } });
  });
});

it("a task that brings its tests is judged by these, however the work ended", async () => {
  const task: Task = {
    ...REQUEST,
    testFiles: { "tests/test_it.py": "from fizzbuzz import fizzbuzz\ndef test_it(): assert fizzbuzz(3) == 'Fizz'\n" },
    oracle: { runner: "pytest" },
  };
  const { trajectory, report, files, prompts } = await run(
    [[RIGHT], [{ tool: "run_tests", args: {} }], "It is done.", "It really is."],
    {},
    task,
  );
  expect(trajectory.verdict).toMatchObject({ passed: true, oracle: "given" });
  expect(report).toMatchObject({ status: "partial", end: "unfinished", summary: "It really is.", tests: [] });
  expect(files).toEqual({ "fizzbuzz.py": true }); // a run of the tests is a run
  expect(prompts[0]).toContain("def test_it()");
});

describe("a file is not verified", () => {
  it("that was changed after its run", async () => {
    const { files } = await run([[RIGHT, CHECK], [TRY], [code("'changed'")], [finish]]);
    expect(files).toEqual({ "check.py": true, "fizzbuzz.py": false });
  });

  it("that was changed after its run, unless it was changed back: then it is the one that ran", async () => {
    const { files } = await run([[RIGHT, CHECK], [TRY], [code("'changed'")], [RIGHT], [finish]]);
    expect(files).toEqual({ "check.py": true, "fizzbuzz.py": true });
  });

  it("by a run that failed", async () => {
    const { files, trajectory, runOptions } = await run([[WRONG, CHECK], [TRY], [finish]]);
    expect(files).toEqual({ "check.py": false, "fizzbuzz.py": false });
    expect((await replayRun(trajectory.runId, runOptions)).divergence).toBeNull();
  });

  it("that the run did not load, though it read or compiled it", async () => {
    const look = execute("python3", "-c", "open('fizzbuzz.py').read()");
    const compile = execute("python3", "-m", "py_compile", "fizzbuzz.py");
    const { files } = await run([[RIGHT, write("notes.txt", "1\n")], [look, compile], [finish]]);
    expect(files).toEqual({ "fizzbuzz.py": false, "notes.txt": false });
  });

  it("by the word of a model that made no run, or printed what looks like one", async () => {
    const say = { ...finish, args: { ...finish.args, explanation: "I ran all tests: 12 passed. Verified." } };
    const print = execute("sh", "-c", "echo '12 passed'; echo fizzbuzz.py; exit 0");
    const { files, trajectory } = await run([[RIGHT], [print], [say]]);
    expect(files).toEqual({ "fizzbuzz.py": false });
    expect(trajectory.verdict.passed).toBe(false);
  });
});

it("a run that was cut off goes on to the same report", async () => {
  const answers: Answer[] = [[RIGHT, CHECK], [TRY], [finish]];
  const model = scripted("test:model", Object.fromEntries(answers.map((one, nth) => [`run/work|coder|0.${nth}`, one])));
  const store = memoryLogStore();
  const options: RunOptions = {
    team: coder({ model }),
    sandbox: localSandbox({ store: join(folder, "objects"), isolation: "none" }),
    store,
  };
  const whole = await runTask(REQUEST, options);
  const began = whole.events.findIndex(
    ({ payload }) => payload.type === "begin" && payload.call.op === "tool" && payload.call.tool === "run",
  );
  for (const at of [began, began + 1, began + 2]) {
    const cut = memoryLogStore();
    const { header, events } = whole;
    const writer = await cut.create(header);
    await writer.append(events.slice(0, at));
    await writer.close();
    const resumed = await (await resumeRun(header.runId, { ...options, store: cut })).result;
    expect(resumed.report).toEqual(whole.report);
    expect(resumed.report).toMatchObject({ files: [{ verified: true }, { verified: true }] });
  }
});

describe("the team", () => {
  const model = scripted("test:model", {});

  it("is the same from its reference", () => {
    const other = scripted("test:other", {});
    const team = coder({ model: [model, other], maxCalls: 3, effort: { coder: "low" }, maxTokens: { coder: 100 } });
    const again = coderFrom(team, (id) => (id === other.id ? other : model));
    expect(again.config).toEqual(team.config);
    expect(again.roles["coder"]).toMatchObject({ effort: "low", maxTokens: 100, models: [model, other] });
    expect(again.roles["coder"]?.tools.map(({ name }) => name)).toEqual(
      expect.arrayContaining(["run", "run_tests", "finish"]),
    );
  });

  it("refuses what cannot be right", () => {
    expect(() => coder({ model, effort: { reviewer: "low" } as never })).toThrow(/effort.reviewer: is no role/);
    expect(() => coder({ model, maxCalls: 11 })).toThrow(/config.maxCalls|maxCalls: Too big/);
    expect(() => coderFrom({ ...coder({ model }), name: "codeswarm" }, () => model)).toThrow(/is not coder/);
  });
});
