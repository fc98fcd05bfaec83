import type { AskRequest, LLMResponse, Part, Recollection, RoleHandle, StopReason, ToolUse, Turn } from "@swarm/core";

export type RoleDouble = RoleHandle & {
  readonly asked: AskRequest[];
  /** Ids of the calls that ran, one list a `use`. */
  readonly used: string[][];
  /** What its memory was asked. */
  readonly questions: string[];
};

/** A role that gives its answers in order, and its memories likewise, and whose tools all say `did <tool>`; one named `fail` fails. */
export function roleDouble(answers: readonly LLMResponse[], memories: readonly Recollection[][] = []): RoleDouble {
  const asked: AskRequest[] = [];
  const used: string[][] = [];
  const questions: string[] = [];
  return {
    asked,
    questions,
    used,
    async ask(request) {
      const answer = answers[asked.length];
      asked.push(structuredClone(request));
      if (!answer) throw new Error(`model call ${asked.length} was not expected`);
      return answer;
    },
    async use(calls): Promise<Turn> {
      used.push(calls.map((call) => call.id));
      return {
        role: "user",
        parts: calls.map((call) => ({
          type: "result",
          id: call.id,
          ok: call.tool !== "fail",
          output: `did ${call.tool}`,
        })),
      };
    },
    async recall(question) {
      questions.push(question);
      return memories[questions.length - 1] ?? [];
    },
  };
}

export function answer(parts: Part[], stop?: StopReason): LLMResponse {
  const calls = parts.some((part) => part.type === "tool" || part.type === "malformed");
  return { parts, stop: stop ?? (calls ? "tool" : "end"), tokens: null };
}

export const text = (words: string): Part => ({ type: "text", text: words });
export const tool = (id: string, name = "read_file", args: ToolUse["args"] = { path: id }): ToolUse => ({
  type: "tool",
  id,
  tool: name,
  args,
});
export const malformed = (id: string, broken: string): Part => ({
  type: "malformed",
  id,
  tool: "write_file",
  text: broken,
  problem: "no JSON",
});
