import { localPorts, runAgent } from "@swarm/agents";
import { defineProgram, defineTeam, type LLMClient, type Team, testFault } from "@swarm/core";
import { codingTools } from "@swarm/tools";
import { z } from "zod";

/** One step: a coder works, and the tests decide whether it is done. */
const solve = defineProgram({
  name: "solve",
  input: z.strictObject({}),
  output: z.strictObject({ summary: z.string() }),
  async attempt(context) {
    const prompt = [context.task.prompt, ...(context.hint === null ? [] : [`Last time: ${context.hint}`])].join("\n\n");
    const result = await runAgent(context.role("coder"), prompt);
    const fault = testFault(await context.test());
    return fault ? context.fail(fault) : context.done({ summary: result.text });
  },
  /** The advice for the next attempt; a model could give a better one. */
  diagnose: async (_context, fault) => fault.message,
});

export function solo(model: LLMClient): Team {
  return defineTeam({
    specificationVersion: "v1",
    name: "solo",
    version: "1",
    config: { model: model.id },
    roles: { coder: { models: [model], system: "You solve coding tasks with your tools.", tools: codingTools } },
    programs: [solve],
    async workflow(run) {
      const { ok, attempts } = await run.step(solve, {}, { maxRetries: 2 });
      return { ok, attempts };
    },
    defaults: localPorts,
  });
}
