import type Anthropic from "@anthropic-ai/sdk";
import { asJson, type LLMRequest, type LLMResponse, type Part, type Tokens } from "@swarm/core";
import { answer, type Ending } from "./answer.ts";
import { Interrupted } from "./provider-fault.ts";
import { tokensOf } from "./tokens.ts";
import { toolCall } from "./tool-call.ts";

type Event = Anthropic.RawMessageStreamEvent;
/** A content block as far as it was streamed; `json` is the text of a tool call's arguments. */
type Draft = { block: Anthropic.ContentBlock; json: string };
type Message = Pick<Anthropic.Message, "stop_reason" | "stop_details"> & {
  drafts: Draft[];
  usage: Partial<Anthropic.Usage>;
};

/** An answer from its stream events; {@link Interrupted} where the last of them is missing. */
export function anthropicAnswer(events: readonly Event[], request: LLMRequest): LLMResponse {
  const message = assemble(events);
  const ending = endingOf(message);
  const last = message.drafts.at(-1);
  const parts = message.drafts.flatMap((draft) => partOf(draft, ending.stop === "length" && draft === last));
  return answer(parts, ending, tokens(message.usage), request);
}

export function isEnd(event: Event): boolean {
  return event.type === "message_stop";
}

function assemble(events: readonly Event[]): Message {
  if (!events.some(isEnd)) throw new Interrupted("the stream ended without its last event");
  // A map, because an index is the provider's word: an array would grow to it.
  const drafts = new Map<number, Draft>();
  const message: Message = { drafts: [], stop_reason: null, stop_details: null, usage: {} };
  for (const event of events) {
    switch (event.type) {
      case "message_start":
        message.usage = { ...event.message.usage };
        break;
      case "content_block_start":
        drafts.set(event.index, { block: { ...event.content_block }, json: "" });
        break;
      case "content_block_delta":
        extend(drafts.get(event.index), event.delta);
        break;
      case "message_delta":
        message.stop_reason = event.delta.stop_reason;
        message.stop_details = event.delta.stop_details;
        // The counts are totals, and those that do not apply are left out or null.
        for (const [name, count] of Object.entries(event.usage)) {
          if (count !== null) Object.assign(message.usage, { [name]: count });
        }
        break;
    }
  }
  message.drafts = [...drafts.values()];
  return message;
}

function extend(draft: Draft | undefined, delta: Anthropic.RawContentBlockDelta): void {
  if (draft === undefined) throw new Error(`a ${delta.type} belongs to no content block`);
  const { block } = draft;
  if (delta.type === "text_delta" && block.type === "text") block.text += delta.text;
  else if (delta.type === "input_json_delta") draft.json += delta.partial_json;
  else if (delta.type === "thinking_delta" && block.type === "thinking") block.thinking += delta.thinking;
  else if (delta.type === "signature_delta" && block.type === "thinking") block.signature = delta.signature;
}

function partOf({ block, json }: Draft, cut: boolean): Part[] {
  switch (block.type) {
    case "text":
      return block.text === "" ? [] : [{ type: "text", text: block.text }];
    case "tool_use": {
      // Mostly the block starts with an empty input and its arguments follow as text; some gateways send it whole.
      const whole = json === "" && Object.keys(block.input ?? {}).length > 0;
      return [toolCall({ id: block.id, tool: block.name, args: whole ? block.input : json, cut })];
    }
    default:
      // Thinking, redacted thinking, and whatever else only the provider understands.
      return [{ type: "reasoning", provider: "anthropic", data: asJson(block) }];
  }
}

function endingOf({ stop_reason, stop_details }: Message): Ending {
  switch (stop_reason) {
    case "max_tokens":
    case "model_context_window_exceeded":
      return { stop: "length" };
    case "refusal":
      return {
        stop: "refusal",
        reason: stop_details?.explanation ?? `refused (${stop_details?.category ?? "no reason given"})`,
      };
    default:
      return { stop: "end" };
  }
}

function tokens(usage: Partial<Anthropic.Usage>): Tokens | null {
  return tokensOf({
    input: usage.input_tokens,
    output: usage.output_tokens,
    reasoning: usage.output_tokens_details?.thinking_tokens,
    cacheRead: usage.cache_read_input_tokens,
    cacheWrite: usage.cache_creation_input_tokens,
  });
}
