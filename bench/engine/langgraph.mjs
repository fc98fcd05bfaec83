// The loop with LangGraph.js: a graph of five nodes with an edge that depends on the tests, and a checkpointer. The two roles
// that use tools loop within their node over the model and a `ToolNode`, so their messages are in no checkpoint.
import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { AIMessage, HumanMessage, SystemMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { Annotation, END, MemorySaver, START, StateGraph } from "@langchain/langgraph";
import { ToolNode } from "@langchain/langgraph/prebuilt";
import { z } from "zod";
import { answerOf, MOST_REPAIRS, prompts, ROLES, systems, TOKENS, tools, Workspace } from "./loop.mjs";

class InstantModel extends BaseChatModel {
  constructor(role) {
    super({});
    this.role = role;
  }

  _llmType() {
    return "instant";
  }

  bindTools(bound) {
    return this.withConfig({ tools: bound });
  }

  async _generate(messages) {
    const afterTool = messages.at(-1).getType() === "tool";
    const { text = "", write } = answerOf(this.role, { afterTool, shown: messages.map(textOf).join("") });
    const message = new AIMessage({
      content: text,
      tool_calls: write ? [{ type: "tool_call", id: "call_0", name: "write_file", args: write }] : [],
      usage_metadata: {
        input_tokens: TOKENS.input,
        output_tokens: TOKENS.output,
        total_tokens: TOKENS.input + TOKENS.output,
      },
    });
    return { generations: [{ text, message }] };
  }
}

function textOf(message) {
  return message.text + (message.tool_calls ?? []).map(({ args }) => JSON.stringify(args)).join("");
}

const Specification = z.object({ specification: z.string() });

const State = Annotation.Root({
  specification: Annotation(),
  passed: Annotation(),
  failure: Annotation(),
  diagnoses: Annotation({ reducer: (known, added) => [...known, ...added], default: () => [] }),
  report: Annotation(),
});

export async function contender({ checkpointer = new MemorySaver() } = {}) {
  const toolsOf = (role) =>
    tools[role].map(({ name, description, input }) =>
      tool(
        async (args, { configurable }) => {
          if (name !== "write_file") throw new Error(`${name} is not part of the loop`);
          return configurable.workspace.write(args);
        },
        { name, description, schema: input },
      ),
    );
  const roles = Object.fromEntries(
    ROLES.map((role) => {
      const own = toolsOf(role);
      return [role, { model: new InstantModel(role).bindTools(own), toolNode: new ToolNode(own) }];
    }),
  );

  async function ask(role, state, config) {
    const { model, toolNode } = roles[role];
    const prompt = prompts[role]({ workspace: config.configurable.workspace, ...state });
    const messages = [new SystemMessage(systems[role]), new HumanMessage(prompt)];
    for (;;) {
      const answer = await model.invoke(messages, config);
      if (answer.tool_calls.length === 0) return answer.text;
      const { messages: results } = await toolNode.invoke({ messages: [...messages, answer] }, config);
      messages.push(answer, ...results);
    }
  }

  const graph = new StateGraph(State)
    .addNode("architect", async (state, config) =>
      Specification.parse(JSON.parse(await ask("architect", state, config))),
    )
    .addNode("developer", async (state, config) => {
      await ask("developer", state, config);
      return {};
    })
    .addNode("tests", async (_state, { configurable }) => {
      const { passed, output } = await configurable.workspace.test();
      return { passed, failure: output };
    })
    .addNode("debugger", async (state, config) => ({ diagnoses: [await ask("debugger", state, config)] }))
    .addNode("reviewer", async (state, config) => ({ report: await ask("reviewer", state, config) }))
    .addEdge(START, "architect")
    .addEdge("architect", "developer")
    .addEdge("developer", "tests")
    .addConditionalEdges("tests", ({ passed, diagnoses }) =>
      passed || diagnoses.length === MOST_REPAIRS ? "reviewer" : "debugger",
    )
    .addEdge("debugger", "tests")
    .addEdge("reviewer", END)
    .compile({ checkpointer });

  let runs = 0;
  return async () => {
    const configurable = { thread_id: `run-${runs++}`, workspace: new Workspace() };
    return await graph.invoke({}, { configurable });
  };
}
