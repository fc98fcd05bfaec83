import { z } from "zod";
import type { Schema } from "./json.ts";

/** What a run may spend. Each is reserved before a call and checked when the call's begin event is appended. */
export type Budget = {
  /** Calls to a model, failed ones included. */
  modelCalls: number;
  /** Input and output tokens together. */
  tokens: number;
  /** US dollars, by the prices in the log's header. */
  usd: number;
  /** Tool calls and test runs. */
  toolCalls: number;
  /** Milliseconds since the run started. */
  wallMs: number;
};

const amount = z.number().nonnegative();

export const LimitsSchema: Schema<Partial<Budget>> = z.strictObject({
  modelCalls: z.int().nonnegative().exactOptional(),
  tokens: z.int().nonnegative().exactOptional(),
  usd: amount.exactOptional(),
  toolCalls: z.int().nonnegative().exactOptional(),
  wallMs: amount.exactOptional(),
});
