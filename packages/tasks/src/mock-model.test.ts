import { type CallSite, InvalidInputError, type LLMRequest, type LLMResponse } from "@swarm/core";
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

test("refuses a task without a mock", async () => {
  const loaded = await loadTask("linked-list");
  expect(() => mockModel({ ...loaded, mock: null })).toThrow(InvalidInputError);
});
