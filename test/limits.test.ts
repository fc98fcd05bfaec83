import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { runAgent } from "@swarm/agents";
import {
  costReport,
  defineProgram,
  type LLMClient,
  type LLMResponse,
  memoryLogStore,
  runTask,
  type Team,
} from "@swarm/core";
import { assertSoundRun, conformanceTask, conformanceTeam } from "@swarm/core/testing";
import { describe, expect, test } from "vitest";
import { z } from "zod";

/** Bills ten cents a call, and is malformed half of the time. */
function billing(): LLMClient & { calls: number } {
  const client = {
    specificationVersion: "v1" as const,
    id: "billing:model",
    window: null,
    price: { input: 0, output: 10 },
    calls: 0,
    async complete(): Promise<LLMResponse> {
      const nth = client.calls++;
      await new Promise(setImmediate);
      const tokens = { input: 0, output: 10_000, reasoning: 0, cacheRead: 0, cacheWrite: 0 };
      const args = { path: `file-${nth}.txt`, text: "x" };
      if (nth % 2 === 0) return { parts: [{ type: "tool", id: "c", tool: "append", args }], stop: "tool", tokens };
      return {
        parts: [{ type: "malformed", id: "c", tool: "append", text: "{", problem: "no JSON" }],
        stop: "tool",
        tokens,
      };
    },
  };
  return client;
}

/** As many lanes side by side as asked for, each of which would work for ever. */
function endless(model: LLMClient, lanes: number): Team {
  const base = conformanceTeam();
  const work = defineProgram({
    name: "work",
    input: z.strictObject({}),
    output: z.strictObject({}),
    async attempt(context) {
      for (;;) await runAgent(context.role("coder"), "Go on.", { maxCalls: 10 });
    },
  });
  const coder = { ...base.roles["coder"]!, models: [model] as const, maxTokens: 10_000 };
  return {
    ...base,
    roles: { coder },
    programs: [work],
    async workflow(run) {
      const branches = Array.from(
        { length: lanes },
        (_, lane) => [`lane-${lane}`, (own: typeof run) => own.step(work, {})] as const,
      );
      await run.all(
        Object.fromEntries(branches.map(([name, branch]) => [name, async (own) => (await branch(own)).ok])),
      );
      return null;
    },
  };
}

describe("a budget of one dollar", () => {
  test.each([1, 2, 7, 20])("is not overrun with %i lanes side by side", async (lanes) => {
    const model = billing();
    const trajectory = await runTask(conformanceTask, {
      team: endless(model, lanes),
      store: memoryLogStore(),
      limits: { usd: 1 },
    });
    assertSoundRun(trajectory);
    expect(trajectory.verdict.outcome).toBe("budget");
    expect(trajectory.usage.usd).toBeLessThanOrEqual(1);
    expect(trajectory.usage.usd).toBeGreaterThan(0.89); // within one call of the limit
    expect(model.calls).toBe(trajectory.usage.modelCalls);
    expect(costReport(trajectory).total.usd).toBeCloseTo(trajectory.usage.usd ?? Number.NaN, 9);
  });
});

test("a thousand guarded calls on one signal leave listeners, timers and handles as they were", async () => {
  // in a process of its own: what a test runner holds comes and goes
  const program = ["--conditions=@swarm/source", new URL("limits/guarded-calls.ts", import.meta.url).pathname];
  const { stdout } = await promisify(execFile)(process.execPath, program);
  const kinds: Record<string, { made: number; before: object; after: object }> = JSON.parse(stdout);
  expect(Object.keys(kinds)).toEqual(["answer", "permanent", "transient", "aborted", "mixed"]);
  for (const [kind, { made, before, after }] of Object.entries(kinds)) {
    expect(after, kind).toEqual(before);
    expect(made, kind).toBeGreaterThanOrEqual(1000);
  }
  expect(kinds["transient"]?.made).toBe(4000);
});
