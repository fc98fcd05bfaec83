import { expect, test } from "vitest";
import { z } from "zod";
import type { Turn } from "../contracts/model.ts";
import { defineProgram } from "../contracts/program.ts";
import { runTask } from "../engine/start-run.ts";
import { scripted } from "../testing/scripted.ts";
import { conformanceTask, conformanceTeam } from "../testing/team.ts";
import { memoryLogStore } from "./memory-log-store.ts";
import { turnsOf } from "./thread.ts";

const big = "x".repeat(3_000);

/** A role that reads one big file again and again, then answers. */
function readerTeam(rounds: number) {
  const client = scripted("scripted:reader", ({ nth }) =>
    nth < rounds ? [{ tool: "read", args: { path: "big.txt" } }] : "Done.",
  );
  const base = conformanceTeam();
  const read = defineProgram({
    name: "read",
    input: z.strictObject({}),
    output: z.strictObject({}),
    async attempt(context) {
      const role = context.role("coder");
      const turns: Turn[] = [{ role: "user", parts: [{ type: "text", text: "Read." }] }];
      for (;;) {
        const { parts } = await role.ask({ turns });
        const calls = parts.filter((part) => part.type === "tool");
        if (calls.length === 0) return context.done({});
        turns.push({ role: "assistant", parts }, await role.use(calls));
      }
    },
  });
  const { tools } = base.roles["coder"]!;
  const loading = tools.map((tool) => ({
    ...tool,
    call: async (...asked: Parameters<typeof tool.call>) => ({
      ...(await tool.call(...asked)),
      loaded: { "main.txt": "of no account to the model" },
    }),
  }));
  const coder = { ...base.roles["coder"]!, models: [client] as const, tools: loading };
  const team = {
    ...base,
    roles: { coder },
    programs: [read],
    workflow: async (run: Parameters<typeof base.workflow>[0]) => (await run.step(read, {})).ok,
  };
  return { team, client };
}

const task = { ...conformanceTask, source: { files: { "big.txt": big, "main.txt": "right" } } };

test("every request that a model was given can be made again from the log", async () => {
  const { team, client } = readerTeam(5);
  const { events } = await runTask(task, { team, store: memoryLogStore() });
  const begins = events.filter(({ payload }) => payload.type === "begin" && payload.call.op === "model");
  expect(begins).toHaveLength(6);
  for (const [index, { stepId, key }] of begins.entries()) {
    expect(turnsOf(events, stepId, key!)).toEqual(client.requests[index]!.request.turns);
  }
});

test("a log grows with what happened, not with its square", async () => {
  const size = async (rounds: number) =>
    (await runTask(task, { team: readerTeam(rounds).team, store: memoryLogStore() })).toJsonl().length;
  const [one, ten, twenty] = [await size(1), await size(10), await size(20)];
  expect((twenty! - ten!) / (ten! - one!)).toBeLessThan(1.3);
});
