import { type CallSite, InvalidInputError, type LLMClient, type LLMRequest, type LLMResponse } from "@swarm/core";
import { expect, test } from "vitest";
import { builtinTasks, loadTask, type MockOptions, mockModel } from "./index.ts";

const request: LLMRequest = { model: "m", system: "", turns: [], tools: [], maxTokens: 100, cacheable: false };
const { signal } = new AbortController();

/** Asks a mock in the order in which the team does, and gives a function that asks at one place. */
async function mockOf(id: string, options?: MockOptions) {
  const loaded = await loadTask(id);
  const model = mockModel(loaded, options);
  const ask = (stepId: string, role: string, attempt: number, nth: number): Promise<LLMResponse> => {
    const at: CallSite = { stepId, role, attempt, nth };
    return model.complete(request, { signal, at });
  };
  return { loaded, model, ask, mock: loaded.mock! };
}

const written = ({ parts }: LLMResponse) =>
  Object.fromEntries(
    parts.map((part) => {
      if (part.type !== "tool" || part.tool !== "write_file") throw new Error("not a write");
      return [part.args["path"], part.args["content"]];
    }),
  );
const textOf = ({ parts }: LLMResponse) => parts.map((part) => (part.type === "text" ? part.text : "")).join("");

const ids = (await builtinTasks()).map(({ id }) => id);

test.each(ids)("the mock of %s plans, fails, is given a hint and mends it", async (id) => {
  const { model, ask, mock } = await mockOf(id);
  expect(model.id).toBe(`mock:${id}`);
  expect(JSON.parse(textOf(await ask("run/plan", "planner", 0, 0)))).toEqual({ steps: [mock.plan] });
  for (const [attempt, delivery] of [mock.wrong, mock.right].entries()) {
    const looked = await ask("run/implement", "coder", attempt, 0);
    expect(looked.parts.every((part) => part.type === "tool" && part.tool === "read_file")).toBe(true);
    expect(written(await ask("run/implement", "coder", attempt, 1))).toEqual(delivery.files);
    const closing = await ask("run/implement", "coder", attempt, 2);
    expect([textOf(closing), closing.stop]).toEqual([delivery.says, "end"]);
    if (attempt === 0) expect(textOf(await ask("run/implement", "reviewer", 0, 0))).toBe(mock.hint);
  }
  model.assertComplete();
});

test("with never, every attempt delivers the wrong files", async () => {
  const { ask, mock } = await mockOf("linked-list", { story: "never" });
  expect(JSON.parse(textOf(await ask("run/plan", "planner", 0, 0)))).toEqual({ steps: [mock.plan] });
  for (const attempt of [0, 1, 2, 3, 17]) {
    await ask("run/implement", "coder", attempt, 0);
    expect(written(await ask("run/implement", "coder", attempt, 1))).toEqual(mock.wrong.files);
    expect(textOf(await ask("run/implement", "coder", attempt, 2))).toBe(mock.wrong.says);
    expect(textOf(await ask("run/implement", "reviewer", attempt, 0))).toBe(mock.hint);
  }
});

test.each(ids)("the mock of %s specifies, fails, repairs and closes", async (id) => {
  const { model, ask, mock } = await mockOf(id, { team: "self-healing" });
  const specified = JSON.parse(textOf(await ask("run/design", "architect", 0, 0)));
  expect(specified).toEqual({ specification: mock.plan.instructions });
  for (const [step, role, { files }] of [
    ["run/develop", "developer", mock.wrong],
    ["run/repair", "debugger", mock.right],
  ] as const) {
    await ask(step, role, 0, 0);
    expect(written(await ask(step, role, 0, 1))).toEqual(files);
    await ask(step, role, 0, 2);
  }
  expect(textOf(await ask("run/close", "reviewer", 0, 0))).toBe(mock.right.says);
  model.assertComplete();
});

test("a call that the script does not know is an error, not an answer", async () => {
  const { ask } = await mockOf("linked-list");
  await expect(ask("run/implement", "coder", 2, 0)).rejects.toMatchObject({ code: "SCRIPT_EXHAUSTED" });
});

/** Asks a mock in a step, with words that the step would ask with and tools that it called before. */
async function askIn(model: LLMClient, stepId: string, role: string, words: string, called: string[] = []) {
  const at: CallSite = { stepId, role, attempt: 0, nth: called.length };
  const use = called.map((tool, nth) => ({ type: "tool" as const, id: `${nth}`, tool, args: {} }));
  const turns: LLMRequest["turns"] = [{ role: "user", parts: [{ type: "text", text: words }] }];
  return await model.complete({ ...request, turns: [...turns, { role: "assistant", parts: use }] }, { signal, at });
}

test("the mock of devTeam answers by the criteria that it is asked about", async () => {
  const loaded = await loadTask("demo-text-kit");
  const model = mockModel(loaded, { team: "dev-team" });
  const spec = JSON.parse(textOf(await askIn(model, "run/draft-spec", "pm", "Write the specification.")));
  expect([spec.criteria.length, spec.tasks.length]).toEqual([11, 11]);
  expect(spec.tasks[8]).toMatchObject({ id: "T9", title: "roman", covers: ["AC9"] });
  const { groups } = JSON.parse(textOf(await askIn(model, "run/group-tasks", "pm", "These are 11 tasks.")));
  expect(groups).toHaveLength(8);
  expect(groups.flatMap(({ tasks }: { tasks: string[] }) => tasks)).toEqual(
    spec.tasks.map(({ id }: { id: string }) => id),
  );

  const words = [7, 8].map((nth) => `${spec.criteria[nth].id}: ${spec.criteria[nth].text}`).join("\n");
  const suite = JSON.parse(textOf(await askIn(model, "run/write-suite.3", "qa", words)));
  expect(new Set(suite.tests.flatMap(({ criteria }: { criteria: string[] }) => criteria))).toEqual(
    new Set(["AC8", "AC9"]),
  );
  const built = written(await askIn(model, "run/build.3", "coder", words, ["list_dir"]));
  const fixed = written(await askIn(model, "run/fix", "coder", words, ["list_dir"]));
  expect(Object.keys(built)).toEqual(["textkit/snake.py", "textkit/roman.py"]);
  expect(built["textkit/roman.py"]).toBe(loaded.mock!.wrong.files["textkit/roman.py"]);
  expect(fixed["textkit/roman.py"]).toBe(loaded.mock!.right.files["textkit/roman.py"]);
  for (const [step, { says }] of [
    ["run/build.3", loaded.mock!.wrong],
    ["run/fix", loaded.mock!.right],
  ] as const) {
    const ending = await askIn(model, step, "coder", words, ["list_dir", "write_file", "run"]);
    expect(ending.parts).toMatchObject([
      { tool: "finish", args: { explanation: says, entryPoint: "textkit/snake.py" } },
    ]);
  }
});

test("the mock of devTeam takes over the tests that a task brings, and refuses one that it has none for", async () => {
  for (const [id, setup] of [
    ["page-window", 'import "./page-window.test.mjs";'],
    ["duration-format", "from test_durations import *"],
  ] as const) {
    const loaded = await loadTask(id);
    const model = mockModel(loaded, { team: "dev-team" });
    const answer = await askIn(model, "run/write-suite", "qa", `AC1: ${loaded.mock!.plan.instructions}`);
    expect(JSON.parse(textOf(answer))).toMatchObject({
      setup: expect.stringContaining(setup),
      tests: [{ criteria: ["AC1"] }],
    });
    const { given: _, ...mock } = loaded.mock!;
    expect(() => mockModel({ id, mock }, { team: "dev-team" })).toThrow(/^mock: has no suite that QA could run/);
  }
});

test("refuses a task without a mock", async () => {
  const loaded = await loadTask("linked-list");
  expect(() => mockModel({ ...loaded, mock: null })).toThrow(InvalidInputError);
});
