import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { defineProgram, defineTeam, memoryLogStore, runTask, type Task } from "@swarm/core";
import { type Answer, assertSoundRun, scripted } from "@swarm/core/testing";
import { cleanRoomOracle, testRunner } from "@swarm/oracle";
import { localSandbox } from "@swarm/sandbox";
import { codingToolsWith } from "@swarm/tools";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { finish } from "./finish.ts";
import { ReflectionSchema, reflect } from "./reflect.ts";
import { type CoderResult, CoderResultSchema, runCoder } from "./run-coder.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "coder-test-"));
});
afterEach(() => rm(folder, { recursive: true }));

const task: Task = { id: "double", prompt: "Write double(x).", source: { files: { "old.py": "x = 1\n" } } };
const write = (path: string, content: string) => ({ tool: "write_file", args: { path, content } });
const finished = (entryPoint: string) => ({
  tool: "finish",
  args: { explanation: "double() is there.", plan: "Wrote it.", entryPoint },
});

const work = defineProgram({
  name: "work",
  input: z.strictObject({ maxCalls: z.int() }),
  output: z.strictObject({ result: CoderResultSchema, reflection: ReflectionSchema.nullable() }),
  async attempt(context, { maxCalls }) {
    const result = await runCoder(context, "coder", context.task.prompt, { maxCalls });
    if (context.task.id !== "reflected") return context.done({ result, reflection: null });
    const reflection = await reflect(context, "coder", context.task.prompt, { maxCalls });
    return reflection.ok ? context.done({ result, reflection: reflection.output }) : reflection;
  },
});

/** Runs one step of a coder on a script. */
async function run(script: Record<number, Answer>, { maxCalls = 10, id = task.id } = {}) {
  const answers = Object.entries(script).map(([nth, answer]) => [`run/work|coder|0.${nth}`, answer]);
  const model = scripted("test:model", Object.fromEntries(answers));
  const tools = [...codingToolsWith({ run: { loads: true } }), finish];
  const team = defineTeam({
    specificationVersion: "v1",
    name: "one-coder",
    version: "1",
    config: {},
    roles: { coder: { models: [model], system: "Code.", tools } },
    programs: [work],
    workflow: async (run) => {
      const step = await run.step(work, { maxCalls });
      return step.ok ? step.output : { fault: step.fault };
    },
    defaults: { sandbox: () => localSandbox(), tests: () => testRunner(), oracle: () => cleanRoomOracle() },
  });
  const trajectory = await runTask(
    { ...task, id },
    {
      team,
      sandbox: localSandbox({ store: join(folder, "objects"), isolation: "none" }),
      store: memoryLogStore(),
    },
  );
  assertSoundRun(trajectory);
  model.assertComplete();
  return { model, ...(trajectory.report as z.infer<typeof work.output>) };
}

const RIGHT = write("double.py", "def double(x):\n    return x * 2\n");

describe("a coder's work", () => {
  it("ends by finish, and its code is read back", async () => {
    const { result } = await run({ 0: [RIGHT], 1: [finished("double.py")] });
    expect(result).toEqual({
      end: "finished",
      reason: "the model ended its work by finish",
      finish: { explanation: "double() is there.", plan: "Wrote it.", entryPoint: "double.py" },
      text: "",
      calls: 2,
      code: [{ path: "double.py", sha256: expect.stringMatching(/^[0-9a-f]{64}$/), verified: false }],
    });
  });

  it("does not end with a file to start with that is not there", async () => {
    const { result, model } = await run({ 0: [RIGHT], 1: [finished("main.py")], 2: [finished("double.py")] });
    expect(result).toMatchObject({ end: "finished", calls: 3 });
    expect(JSON.stringify(model.requests[2]!.request.turns)).toContain("Not ended: entryPoint has to name a file");
  });

  it("does not end beside a call of a tool that there is not, and is told which there are", async () => {
    const { result, model } = await run({
      0: [RIGHT, { tool: "deploy", args: {} }, finished("double.py")],
      1: [finished("double.py")],
    });
    expect(result).toMatchObject({ end: "finished", calls: 2, code: [{ path: "double.py" }] });
    const told = JSON.stringify(model.requests[1]!.request.turns);
    expect(told).toMatch(/deploy.*read_file.*Your work is not ended/s);
  });

  it("ends at its limit, and what the last call asked for is not run", async () => {
    const { result } = await run({ 0: [RIGHT], 1: [write("more.py", "x = 2\n")] }, { maxCalls: 2 });
    expect(result).toMatchObject({ end: "calls-spent", calls: 2, finish: null });
    expect(result.code.map(({ path }: CoderResult["code"][number]) => path)).toEqual(["double.py"]);
  });
});

describe("reflection", () => {
  const delivered = { 0: [write("double.py", "def double(x):\n    return x + 2\n")], 1: [finished("double.py")] };
  const critique = JSON.stringify({ bugs: ["adds 2"], edgeCases: [], revision: "multiply" });

  it("revises what it finds wrong with the code", async () => {
    const script = { ...delivered, 2: critique, 3: [RIGHT], 4: [finished("double.py")] };
    const { reflection, model } = await run(script, { id: "reflected" });
    expect(reflection).toMatchObject({ outcome: "revised", critique: { bugs: ["adds 2"] }, result: { calls: 2 } });
    expect(JSON.stringify(model.requests[2]!.request.turns)).toContain("return x + 2");
    expect(JSON.stringify(model.requests[3]!.request.turns)).toContain("multiply");
  });

  it("asks once more for a revision that changes no file, and then says that there is none", async () => {
    const twice = { ...delivered, 2: critique, 3: [finished("double.py")], 4: [RIGHT], 5: [finished("double.py")] };
    const mended = await run(twice, { id: "reflected" });
    expect(mended.reflection).toMatchObject({ outcome: "revised" });
    expect(JSON.stringify(mended.model.requests[4]!.request.turns)).toContain("changed no file");

    const never = { ...delivered, 2: critique, 3: [finished("double.py")], 4: [finished("double.py")] };
    const { reflection } = await run(never, { id: "reflected" });
    expect(reflection).toMatchObject({ outcome: "no_revision", result: { end: "finished" } });
  });
});
