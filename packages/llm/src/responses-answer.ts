import { asJson, type LLMRequest, type LLMResponse, type Part, type Tokens } from "@swarm/core";
import type { OpenAI } from "openai";
import { answer, type Ending } from "./answer.ts";
import { Interrupted, ReportedFault } from "./provider-fault.ts";
import type { Phase } from "./responses-phase.ts";
import { tokensWithCacheInInput } from "./tokens.ts";
import { toolCall } from "./tool-call.ts";

type Event = OpenAI.Responses.ResponseStreamEvent;
type EndEvent =
  | OpenAI.Responses.ResponseCompletedEvent
  | OpenAI.Responses.ResponseIncompleteEvent
  | OpenAI.Responses.ResponseFailedEvent;

/** An answer from its stream events: the last one holds it whole. {@link Interrupted} where that is missing. */
export function responsesAnswer(events: readonly Event[], request: LLMRequest): LLMResponse {
  const end = events.findLast(isEnd);
  if (end === undefined) throw new Interrupted("the stream ended without its last event");
  const { response } = end;
  if (end.type === "response.failed") {
    if (!events.some(isBegun)) throw new ReportedFault(response.error);
    throw new Interrupted(response.error?.message ?? "the provider gave no reason", { retryable: false });
  }
  const refusals: string[] = [];
  const parts = response.output.flatMap((item) => partsOf(item, refusals));
  return answer(parts, endingOf(response, refusals), tokens(response.usage), request);
}

export function isEnd(event: Event): event is EndEvent {
  return ["response.completed", "response.incomplete", "response.failed"].includes(event.type);
}

export function isBegun(event: Event): boolean {
  return event.type.endsWith(".delta");
}

function partsOf(item: OpenAI.Responses.ResponseOutputItem, refusals: string[]): Part[] {
  switch (item.type) {
    case "message": {
      const texts: Part[] = [];
      for (const content of item.content) {
        if (content.type === "refusal") refusals.push(content.refusal);
        else if (content.text !== "") texts.push({ type: "text", text: content.text });
      }
      if (!item.phase || texts.length === 0) return texts;
      const phase: Phase = { type: "phase", phase: item.phase };
      return texts.flatMap((text) => [{ type: "reasoning", provider: "openai", data: phase }, text]);
    }
    case "function_call": {
      const cut = item.status === "incomplete";
      return [toolCall({ id: item.call_id, tool: item.name, args: item.arguments, cut })];
    }
    default:
      // Reasoning, and whatever else only the provider understands.
      return [{ type: "reasoning", provider: "openai", data: asJson(item) }];
  }
}

function endingOf({ incomplete_details }: OpenAI.Responses.Response, refusals: string[]): Ending {
  if (incomplete_details?.reason === "content_filter")
    return { stop: "filter", reason: "stopped by the content filter" };
  if (refusals.length > 0) return { stop: "refusal", reason: refusals.join("\n") };
  return { stop: incomplete_details?.reason === "max_output_tokens" ? "length" : "end" };
}

function tokens(usage: OpenAI.Responses.ResponseUsage | null | undefined): Tokens | null {
  return tokensWithCacheInInput({
    input: usage?.input_tokens,
    output: usage?.output_tokens,
    reasoning: usage?.output_tokens_details?.reasoning_tokens,
    cacheRead: usage?.input_tokens_details?.cached_tokens,
    cacheWrite: usage?.input_tokens_details?.cache_write_tokens,
  });
}
