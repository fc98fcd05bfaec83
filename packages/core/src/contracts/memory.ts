import { z } from "zod";
import type { Schema } from "./json.ts";

/**
 * What a memory gave back of one earlier run. `distance` is that of its embedding to the question's, from 0, where the memory
 * goes by embeddings; null where it goes by words.
 */
export type Recollection = { id: string; text: string; distance: number | null };

/** What runs before this one did, as roles ask for it. Never needed: who gets nothing from it goes on without. */
export interface Memory {
  readonly specificationVersion: "v1";
  /**
   * At most `limit` recollections, the best first; none is an answer too. Any text is a question. Changes nothing, so it may
   * be asked again. Rejects with an error whose `retryable` tells transient faults from permanent ones, and with the
   * signal's reason as soon as the signal aborts. May be called concurrently.
   */
  recall(question: string, options: { limit: number; signal: AbortSignal }): Promise<Recollection[]>;
}

export const RecollectionSchema: Schema<Recollection> = z.strictObject({
  id: z.string(),
  text: z.string(),
  distance: z.number().nullable(),
});
