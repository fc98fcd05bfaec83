// The loop with the OpenAI Agents SDK: an agent a role, and plain code between them, as its guide has it for a fixed order.
import { Agent, Runner, tool, Usage } from "@openai/agents";
import { z } from "zod";
import { answerOf, MOST_REPAIRS, prompts, ROLES, systems, TOKENS, tools, Workspace } from "./loop.mjs";

class InstantModel {
  constructor(role) {
    this.role = role;
  }

  async getResponse({ systemInstructions, input }) {
    const items = typeof input === "string" ? [{ content: input }] : input;
    const afterTool = items.at(-1).type === "function_call_result";
    const shown = systemInstructions + items.map(textOf).join("");
    const { text, write } = answerOf(this.role, { afterTool, shown });
    const usage = new Usage({
      inputTokens: TOKENS.input,
      outputTokens: TOKENS.output,
      totalTokens: TOKENS.input + TOKENS.output,
    });
    const output = write
      ? [
          {
            type: "function_call",
            callId: "call_0",
            name: "write_file",
            status: "completed",
            arguments: JSON.stringify(write),
          },
        ]
      : [{ type: "message", role: "assistant", status: "completed", content: [{ type: "output_text", text }] }];
    return { usage, output };
  }
}

function textOf({ content, output, arguments: args }) {
  if (typeof content === "string") return content;
  return content?.map(({ text }) => text).join("") ?? args ?? output?.text ?? "";
}

export async function contender() {
  const toolsOf = (role) =>
    tools[role].map(({ name, description, input }) =>
      tool({
        name,
        description,
        parameters: input,
        strict: false,
        execute: async (args, { context }) => {
          if (name !== "write_file") throw new Error(`${name} is not part of the loop`);
          return context.write(args);
        },
      }),
    );
  const agents = Object.fromEntries(
    ROLES.map((role) => [
      role,
      new Agent({
        name: role,
        instructions: systems[role],
        model: new InstantModel(role),
        tools: toolsOf(role),
        ...(role === "architect" ? { outputType: z.object({ specification: z.string() }) } : {}),
      }),
    ]),
  );
  // It would send traces to its maker's server; without a key it only makes them.
  const runner = new Runner({ tracingDisabled: true });

  return async () => {
    const workspace = new Workspace();
    const ask = async (role, state) =>
      (await runner.run(agents[role], prompts[role]({ workspace, ...state }), { context: workspace })).finalOutput;

    const { specification } = await ask("architect", {});
    await ask("developer", { specification });
    const diagnoses = [];
    let { passed, output } = await workspace.test();
    while (!passed && diagnoses.length < MOST_REPAIRS) {
      diagnoses.push(await ask("debugger", { specification, failure: output, diagnoses }));
      ({ passed, output } = await workspace.test());
    }
    const report = await ask("reviewer", { specification, diagnoses, passed });
    return { passed, diagnoses, report };
  };
}
