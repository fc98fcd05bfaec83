import type { LLMRequest, LLMResponse, Part, Tokens } from "@swarm/core";

/** How a provider says that an answer ended; whether it ended in tool calls is seen from its parts. */
export type Ending =
  | { stop: "end" | "length" }
  /** Final: nothing is gained by asking again. `reason` is kept for whoever reads the log. */
  | { stop: "refusal" | "filter"; reason: string };

/** An answer from its parts. A call whose arguments broke off at the token limit ends it as `length`, whatever was said. */
export function answer(parts: Part[], ending: Ending, tokens: Tokens | null, request: LLMRequest): LLMResponse {
  if ("reason" in ending) {
    return { parts: [...parts, { type: "text", text: ending.reason }], stop: ending.stop, tokens };
  }
  const malformed = parts.some((part) => part.type === "malformed");
  const full = tokens !== null && tokens.output >= request.maxTokens;
  if (ending.stop === "length" || (malformed && full)) return { parts, stop: "length", tokens };
  const calls = malformed || parts.some((part) => part.type === "tool");
  return { parts, stop: calls ? "tool" : "end", tokens };
}
