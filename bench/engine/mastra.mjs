// The loop with Mastra: an agent a role and a workflow of steps, the repair and its test run a workflow within it.
import { Agent } from "@mastra/core/agent";
import { Mastra } from "@mastra/core/mastra";
import { RequestContext } from "@mastra/core/request-context";
import { InMemoryStore } from "@mastra/core/storage";
import { createTool } from "@mastra/core/tools";
import { createStep, createWorkflow } from "@mastra/core/workflows";
import { z } from "zod";
import { answerOf, MOST_REPAIRS, prompts, ROLES, systems, TOKENS, tools, Workspace } from "./loop.mjs";

function instantModel(role) {
  const generate = async ({ prompt }) => {
    const afterTool = prompt.at(-1).role === "tool";
    const { text, write } = answerOf(role, { afterTool, shown: prompt.map(textOf).join("") });
    return {
      content: write
        ? [{ type: "tool-call", toolCallId: "call_0", toolName: "write_file", input: JSON.stringify(write) }]
        : [{ type: "text", text }],
      finishReason: write ? "tool-calls" : "stop",
      usage: {
        inputTokens: TOKENS.input,
        outputTokens: TOKENS.output,
        totalTokens: TOKENS.input + TOKENS.output,
      },
      warnings: [],
    };
  };
  return {
    specificationVersion: "v2",
    provider: "instant",
    modelId: role,
    supportedUrls: {},
    doGenerate: generate,
    doStream: () => Promise.reject(new Error("nothing is streamed in this loop")),
  };
}

function textOf({ content }) {
  if (typeof content === "string") return content;
  return content
    .map(({ text, input, output }) => text ?? (input ? JSON.stringify(input) : (output?.value ?? "")))
    .join("");
}

const State = z.object({
  specification: z.string(),
  passed: z.boolean(),
  failure: z.string(),
  diagnoses: z.array(z.string()),
  report: z.string(),
});
const Specification = z.object({ specification: z.string() });
const STARTING = { specification: "", passed: false, failure: "", diagnoses: [], report: "" };

export async function contender({ storage = new InMemoryStore() } = {}) {
  const toolsOf = (role) =>
    Object.fromEntries(
      tools[role].map(({ name, description, input }) => [
        name,
        createTool({
          id: name,
          description,
          inputSchema: z.fromJSONSchema(input),
          execute: async (args, { requestContext }) => {
            if (name !== "write_file") throw new Error(`${name} is not part of the loop`);
            return requestContext.get("workspace").write(args);
          },
        }),
      ]),
    );
  const agents = Object.fromEntries(
    ROLES.map((role) => [
      role,
      new Agent({ id: role, name: role, instructions: systems[role], model: instantModel(role), tools: toolsOf(role) }),
    ]),
  );

  const step = (id, execute) => createStep({ id, inputSchema: State, outputSchema: State, execute });
  const ask = ({ mastra, requestContext, inputData }, role, options = {}) =>
    mastra.getAgent(role).generate(prompts[role]({ workspace: requestContext.get("workspace"), ...inputData }), {
      requestContext,
      maxSteps: 10,
      ...options,
    });
  const architect = step("architect", async (context) => {
    const { object } = await ask(context, "architect", { structuredOutput: { schema: Specification } });
    return { ...context.inputData, ...object };
  });
  const developer = step("developer", async (context) => {
    await ask(context, "developer");
    return context.inputData;
  });
  const tests = step("tests", async ({ requestContext, inputData }) => {
    const { passed, output } = await requestContext.get("workspace").test();
    return { ...inputData, passed, failure: output };
  });
  const debug = step("debugger", async (context) => {
    const { text } = await ask(context, "debugger");
    return { ...context.inputData, diagnoses: [...context.inputData.diagnoses, text] };
  });
  const reviewer = step("reviewer", async (context) => {
    const { text } = await ask(context, "reviewer");
    return { ...context.inputData, report: text };
  });
  const schemas = { inputSchema: State, outputSchema: State };
  const repair = createWorkflow({ id: "repair", ...schemas })
    .then(debug)
    .then(tests)
    .commit();
  const selfHealing = createWorkflow({ id: "self-healing", ...schemas })
    .then(architect)
    .then(developer)
    .then(tests)
    .dountil(repair, async ({ inputData }) => inputData.passed || inputData.diagnoses.length === MOST_REPAIRS)
    .then(reviewer)
    .commit();
  const mastra = new Mastra({ agents, workflows: { selfHealing }, storage, logger: false });

  return async () => {
    const requestContext = new RequestContext([["workspace", new Workspace()]]);
    const run = await mastra.getWorkflow("selfHealing").createRun();
    const ended = await run.start({ inputData: STARTING, requestContext });
    if (ended.status !== "success") throw new Error(`the workflow ended as ${ended.status}`, { cause: ended.error });
    return ended.result;
  };
}
