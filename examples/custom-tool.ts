// Gives the coder a tool of your own. The tool's input is checked by its schema, its calls go through the guard and into the
// log, and a call that a crash cut off is handled by its effect.
import { codeswarm } from "@swarm/agents";
import { runTask, type Team, type Tool } from "@swarm/core";
import { scripted } from "@swarm/core/testing";
import { loadTask, mockScript } from "@swarm/tasks";
import { z } from "zod";

const glossary: Record<string, string> = { "singly linked": "each node knows only the next one" };

const lookUp: Tool<{ term: string }> = {
  name: "look_up",
  description: "Looks a term up in the project's glossary. Use it when the task names a term that you are not sure of.",
  input: z.strictObject({ term: z.string().describe("The term, in lower case.") }),
  effect: "none",
  idempotent: true,
  async call({ term }) {
    const meaning = glossary[term];
    return meaning === undefined
      ? { ok: false, output: `There is no "${term}". Known terms: ${Object.keys(glossary).join(", ")}.` }
      : { ok: true, output: meaning };
  },
};

/** The team with one more tool for its coder: another team, so it has another name, and a worker that makes it knows. */
function withTool(team: Team): Team {
  const coder = team.roles["coder"];
  if (!coder) throw new Error("the team has no coder");
  const tools = [...coder.tools, lookUp];
  return { ...team, name: "codeswarm-with-glossary", roles: { ...team.roles, coder: { ...coder, tools } } };
}

// The scripted model asks the glossary first, then does what the task's own script says.
const loaded = await loadTask("linked-list");
if (!loaded.mock) throw new Error("the task has no script");
const model = scripted("mock:linked-list", {
  ...mockScript(loaded.mock),
  "run/implement|coder|0.0": [{ tool: "look_up", args: { term: "singly linked" } }],
});

const trajectory = await runTask(loaded.task, { team: withTool(codeswarm({ model })) });
for (const { payload } of trajectory.events) {
  if (payload.type === "begin" && payload.call.op === "tool" && payload.call.tool === "look_up") {
    console.log(`The coder looked up: ${payload.call.args["term"]}`);
  }
}
console.log(`Verdict: ${trajectory.verdict.outcome}`);
if (!trajectory.verdict.passed) process.exitCode = 1;
