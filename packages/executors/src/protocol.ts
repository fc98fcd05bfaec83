import {
  type AttemptOrder,
  type AttemptResult,
  type EventDraft,
  EventDraftSchema,
  type GuardPolicy,
  ProviderError,
  type Recollection,
  type RefusalCode,
  RefusedError,
  type RunEvent,
  type Schema,
  SwarmError,
  type TeamRef,
} from "@swarm/core";
import { z } from "zod";
import type { Memories, RecallAsk } from "./memories.ts";

/** What the executor tells a worker: JSON, as is all that passes between them. */
export type ToWorker =
  | { type: "check"; module: string; team: TeamRef }
  | {
      type: "perform";
      module: string;
      order: AttemptOrder;
      guard: Partial<GuardPolicy>;
      secrets: readonly string[];
      memories: Memories;
    }
  | { type: "reply"; id: number; value?: Reply; error?: ErrorData }
  | { type: "abort"; error: ErrorData };

/** What a worker tells the executor. Anything it says renews its lease; `beat` says only that it is alive. */
export type FromWorker =
  | { type: "beat" }
  | { type: "claim"; id: number; stepId: string }
  | { type: "append"; id: number; epoch: number; events: EventDraft[] }
  | { type: "recall"; id: number; ask: RecallAsk }
  | { type: "done"; result: AttemptResult | null }
  | { type: "failed"; error: ErrorData };

/** Whether a message is the protocol's own: a team's module can send what it likes. */
export function isFromWorker(message: unknown): message is FromWorker {
  if (message === null || typeof message !== "object") return false;
  const { type, id, stepId, epoch, events, ask, result, error } = message as Record<string, unknown>;
  switch (type) {
    case "beat":
      return true;
    case "claim":
      return typeof id === "number" && typeof stepId === "string";
    case "append":
      return typeof id === "number" && typeof epoch === "number" && EventDraftsSchema.safeParse(events).success;
    case "recall":
      return typeof id === "number" && RecallAskSchema.safeParse(ask).success;
    case "done":
      return result !== undefined;
    case "failed":
      return typeof (error as Partial<ErrorData> | null)?.message === "string";
    default:
      return false;
  }
}

const EventDraftsSchema = z.array(EventDraftSchema);

export const RecallAskSchema: Schema<RecallAsk> = z.strictObject({
  role: z.string(),
  question: z.string(),
  limit: z.int().positive(),
});

export type Claim = { epoch: number; recorded: RunEvent[] };

/** What a worker is answered: of a claim, of a recall, and null of an append. */
export type Reply = Claim | Recollection[] | null;

/** An error as JSON. `retryable` is that of a provider's, and null of all others. */
export type ErrorData = { refused: boolean; code: string; message: string; retryable: boolean | null };

export function errorData(error: unknown): ErrorData {
  const code = error instanceof SwarmError ? error.code : "WORKER_FAILED";
  const message = error instanceof Error ? error.message : String(error);
  const retryable = error instanceof ProviderError ? error.retryable : null;
  return { refused: error instanceof RefusedError, code, message, retryable };
}

export function errorOf({ refused, code, message, retryable }: ErrorData): SwarmError {
  if (retryable !== null) return new ProviderError(code, message, { retryable });
  return refused ? new RefusedError(code as RefusalCode, message) : new SwarmError(code, message);
}
