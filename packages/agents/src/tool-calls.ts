import type { LLMResponse, Part, RoleHandle, ToolUse } from "@swarm/core";

/** A tool call of an answer. `problem` says why it must not run; `signature` is equal for equal calls. */
export type AskedCall = { use: ToolUse; problem: string | null; signature: string };

const CUT =
  "Not run: your answer reached the output limit, so this call may be incomplete. Make a smaller call: write a long file in several parts.";

/**
 * The tool calls of an answer in their order, and the parts of the answer that may be sent back to a provider. A call that
 * cannot be read, or that an output limit may have cut, goes back without its arguments: replaying them would make every
 * later request fail. Ids that occur twice are told apart.
 */
export function readCalls(answer: LLMResponse): { parts: Part[]; calls: AskedCall[] } {
  const ids = new Set<string>();
  const calls: AskedCall[] = [];
  const parts: Part[] = [];
  for (const part of answer.parts) {
    if (part.type === "tool" || part.type === "malformed") {
      const problem = answer.stop === "length" ? CUT : part.type === "malformed" ? unreadable(part.problem) : null;
      const id = freeId(part.id, ids);
      const whole = part.type === "tool" && problem === null && part.id === id;
      const args = part.type === "tool" && problem === null ? part.args : {};
      const use: ToolUse = whole ? part : { type: "tool", id, tool: part.tool, args };
      const said = part.type === "tool" ? part.args : part.text;
      calls.push({ use, problem, signature: JSON.stringify([part.tool, said]) });
      parts.push(use);
    } else if (part.type === "reasoning" || (part.type === "text" && part.text.trim() !== "")) {
      parts.push(part);
    }
  }
  return { parts, calls };
}

/** One result for each call, in call order: of those that run, what the role's tools gave; of the others, why they did not. */
export async function runCalls(role: RoleHandle, calls: readonly AskedCall[], veto: string | null): Promise<Part[]> {
  const refused = (call: AskedCall) => veto ?? call.problem;
  const runnable = calls.filter((call) => refused(call) === null).map((call) => call.use);
  const results = runnable.length > 0 ? (await role.use(runnable)).parts.values() : [].values();
  return calls.map((call): Part => {
    const problem = refused(call);
    if (problem !== null) return { type: "result", id: call.use.id, ok: false, output: problem };
    return results.next().value!;
  });
}

function unreadable(problem: string): string {
  return `Not run: the arguments of this call could not be read (${problem}). Call the tool again with one valid JSON object.`;
}

function freeId(id: string, taken: Set<string>): string {
  let free = id;
  for (let count = 2; taken.has(free); count++) free = `${id}_${count}`;
  taken.add(free);
  return free;
}
