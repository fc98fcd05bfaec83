import type { Json, LLMRequest, LLMResponse, Part, Tokens } from "@swarm/core";
import type { OpenAI } from "openai";
import { answer, type Ending } from "./answer.ts";
import { type ChatReasoning, reasoningFields } from "./chat-reasoning.ts";
import { Interrupted, ReportedFault } from "./provider-fault.ts";
import { tokensWithCacheInInput } from "./tokens.ts";
import { toolCall } from "./tool-call.ts";

/** What compatible servers send beside, or in place of, what OpenAI documents. */
type Completion = Omit<OpenAI.Chat.ChatCompletion, "choices"> & { error?: unknown; choices?: Choice[] };
type Choice = { finish_reason: string | null; message: Message; error?: unknown };
type Message = Omit<OpenAI.Chat.ChatCompletionMessage, "content" | "tool_calls"> & {
  content?: string | { type: string; text?: string }[] | null;
  tool_calls?: Call[] | null;
};
type Call = { id?: string | null; function: { name: string; arguments?: unknown }; extra_content?: Json };

/** An answer from the text of its HTTP body. */
export function chatAnswer(provider: string, body: string, request: LLMRequest): LLMResponse {
  const completion = JSON.parse(body) as Completion;
  const choice = completion.choices?.[0];
  if (choice === undefined)
    throw completion.error ? new ReportedFault(completion.error) : new Error("it has no choices");
  const { message, finish_reason } = choice;
  const parts = partsOf(provider, message, finish_reason);
  if (choice.error) {
    const fault = new ReportedFault(choice.error);
    throw parts.length === 0 ? fault : new Interrupted(fault.message, { retryable: false });
  }
  return answer(parts, endingOf(message, finish_reason), tokens(completion.usage), request);
}

function partsOf(provider: string, message: Message, finish: string | null): Part[] {
  const text = textOf(message.content);
  const reasoning: ChatReasoning = { message: reasoningFields(message), calls: {} };
  const calls = (message.tool_calls ?? []).map((call, index, all) => {
    // Some servers give no ids, or one id twice; without an id of its own a call cannot be paired with its result.
    const repeated = all.findIndex(({ id }) => id === call.id) !== index;
    const id = !call.id || repeated ? `${call.id || "call"}_${index}` : call.id;
    if (call.extra_content) reasoning.calls[id] = call.extra_content;
    const cut = finish === "length" && index === all.length - 1;
    return toolCall({ id, tool: call.function.name, args: call.function.arguments, cut });
  });
  const opaque = Object.keys(reasoning.message).length + Object.keys(reasoning.calls).length > 0;
  return [
    ...(opaque ? [{ type: "reasoning" as const, provider, data: reasoning }] : []),
    ...(text === "" ? [] : [{ type: "text" as const, text }]),
    ...calls,
  ];
}

function textOf(content: Message["content"]): string {
  if (!Array.isArray(content)) return content ?? "";
  return content.map((piece) => (piece.type === "text" ? (piece.text ?? "") : "")).join("");
}

function endingOf({ refusal }: Message, finish: string | null): Ending {
  if (refusal) return { stop: "refusal", reason: refusal };
  if (finish === "content_filter") return { stop: "filter", reason: "stopped by the content filter" };
  return { stop: finish === "length" ? "length" : "end" };
}

function tokens(usage: OpenAI.CompletionUsage | null | undefined): Tokens | null {
  return tokensWithCacheInInput({
    input: usage?.prompt_tokens,
    output: outputOf(usage),
    reasoning: usage?.completion_tokens_details?.reasoning_tokens,
    cacheRead: usage?.prompt_tokens_details?.cached_tokens,
    cacheWrite: usage?.prompt_tokens_details?.cache_write_tokens,
  });
}

/** Gemini and xAI leave reasoning out of `completion_tokens`, though not out of the total and the bill. */
function outputOf(usage: OpenAI.CompletionUsage | null | undefined): number | undefined {
  if (typeof usage?.completion_tokens !== "number" || typeof usage.total_tokens !== "number")
    return usage?.completion_tokens;
  return usage.completion_tokens < 0
    ? undefined
    : Math.max(usage.completion_tokens, usage.total_tokens - usage.prompt_tokens);
}
