import { z } from "zod";
import { type Json, type JsonObject, JsonObjectSchema, JsonSchema, type Schema } from "./json.ts";

/** `provider:model`, such as `anthropic:claude-sonnet-5-5`: what breakers, prices and cassettes are keyed by. */
export type ModelId = string;
export type Effort = "low" | "medium" | "high";

/** A model's wish to call a tool; `id` is the provider's and pairs it with its result. */
export type ToolUse = { type: "tool"; id: string; tool: string; args: JsonObject };
export type ToolResult = { type: "result"; id: string; ok: boolean; output: string };
export type Part =
  | { type: "text"; text: string }
  | ToolUse
  | ToolResult
  /** A provider's own reasoning block: opaque, sent back in its place and byte for byte, and only to that provider. */
  | { type: "reasoning"; provider: string; data: Json }
  /** A tool call whose arguments could not be read: answered with an error result and never replayed as it was. */
  | { type: "malformed"; id: string; tool: string; text: string; problem: string };
export type Turn = { role: "user" | "assistant"; parts: Part[] };

/** Token counts as billed. `input` excludes what the cache served or stored; `reasoning` is part of `output`. */
export type Tokens = { input: number; output: number; reasoning: number; cacheRead: number; cacheWrite: number };
/** US dollars for a million tokens. Where a cache price is missing, cached tokens cost as much as input. */
export type Price = {
  input: number;
  output: number;
  cacheRead?: number;
  cacheWrite?: number;
  /** Where the price is from and of when, such as `genai-prices 0.1.8 of 2026-09-23`. */
  source?: string;
};

/** A tool as the model is told of it; `input` is a JSON schema. */
export type ToolSpec = { name: string; description: string; input: JsonObject };

export type LLMRequest = {
  model: ModelId;
  system: string;
  turns: Turn[];
  tools: ToolSpec[];
  /** A JSON schema that the answer has to follow. */
  output?: JsonObject;
  effort?: Effort;
  temperature?: number;
  maxTokens: number;
  /** Whether an equal request may be answered from a cache. */
  cacheable: boolean;
};

export type StopReason = "end" | "tool" | "length" | "refusal" | "filter";
/** `tokens` is null where the provider did not say; the call is then charged at its reserve. */
export type LLMResponse = { parts: Part[]; stop: StopReason; tokens: Tokens | null };

/** Which call this is, so that a scripted or recorded client can find its answer in any process. */
export type CallSite = { stepId: string; attempt: number; role: string; nth: number };

/** What a cache holds for a request. */
export type CacheLookup = { state: "hit"; response: LLMResponse } | { state: "miss" | "expired" };

/** One model of one provider. */
export interface LLMClient {
  readonly specificationVersion: "v1";
  readonly id: ModelId;
  /** Context window in tokens, where it is known. */
  readonly window: number | null;
  readonly price: Price | null;
  /**
   * Throws a {@link SwarmError} that says why the model cannot be called, such as a missing key. Makes no request that
   * costs anything.
   */
  preflight?(): void | Promise<void>;
  /**
   * Looks an equal request up where the client keeps answers. Asked only for cacheable requests, before the guard, so that
   * a fresh answer is given though the provider is down. A cache that is broken has nothing: it never rejects for that.
   */
  cached?(request: LLMRequest): Promise<CacheLookup>;
  /**
   * One request, without retries of its own. Rejects with a {@link ProviderError} whose `retryable` tells transient faults
   * from permanent ones, and with the signal's reason as soon as the signal aborts. May be called concurrently.
   */
  complete(request: LLMRequest, options: { signal: AbortSignal; at: CallSite }): Promise<LLMResponse>;
}

const count = z.number().nonnegative();

export const TokensSchema: Schema<Tokens> = z.strictObject({
  input: count,
  output: count,
  reasoning: count,
  cacheRead: count,
  cacheWrite: count,
});
export const PriceSchema: Schema<Price> = z.strictObject({
  input: count,
  output: count,
  cacheRead: count.exactOptional(),
  cacheWrite: count.exactOptional(),
  source: z.string().exactOptional(),
});
export const EffortSchema: Schema<Effort> = z.enum(["low", "medium", "high"]);
const toolUse = z.strictObject({
  type: z.literal("tool"),
  id: z.string(),
  tool: z.string(),
  args: JsonObjectSchema,
});
export const ToolUseSchema: Schema<ToolUse> = toolUse;
const toolResult = z.strictObject({
  type: z.literal("result"),
  id: z.string(),
  ok: z.boolean(),
  output: z.string(),
});
export const ToolResultSchema: Schema<ToolResult> = toolResult;
export const PartSchema: Schema<Part> = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("text"), text: z.string() }),
  toolUse,
  toolResult,
  z.strictObject({ type: z.literal("reasoning"), provider: z.string(), data: JsonSchema }),
  z.strictObject({
    type: z.literal("malformed"),
    id: z.string(),
    tool: z.string(),
    text: z.string(),
    problem: z.string(),
  }),
]);
export const TurnSchema: Schema<Turn> = z.strictObject({
  role: z.enum(["user", "assistant"]),
  parts: z.array(PartSchema),
});
export const LLMResponseSchema: Schema<LLMResponse> = z.strictObject({
  parts: z.array(PartSchema),
  stop: z.enum(["end", "tool", "length", "refusal", "filter"]),
  tokens: TokensSchema.nullable(),
});

export const NO_TOKENS: Tokens = { input: 0, output: 0, reasoning: 0, cacheRead: 0, cacheWrite: 0 };
