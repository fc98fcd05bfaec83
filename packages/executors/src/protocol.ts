import {
  type AttemptOrder,
  type AttemptResult,
  type EventDraft,
  EventDraftSchema,
  type GuardPolicy,
  type RefusalCode,
  RefusedError,
  type RunEvent,
  SwarmError,
  type TeamRef,
} from "@swarm/core";
import { z } from "zod";

/** What the executor tells a worker: JSON, as is all that passes between them. */
export type ToWorker =
  | { type: "check"; module: string; team: TeamRef }
  | { type: "perform"; module: string; order: AttemptOrder; guard: Partial<GuardPolicy>; secrets: readonly string[] }
  | { type: "reply"; id: number; value?: Claim | null; error?: ErrorData }
  | { type: "abort"; error: ErrorData };

/** What a worker tells the executor. Anything it says renews its lease; `beat` says only that it is alive. */
export type FromWorker =
  | { type: "beat" }
  | { type: "claim"; id: number; stepId: string }
  | { type: "append"; id: number; epoch: number; events: EventDraft[] }
  | { type: "done"; result: AttemptResult | null }
  | { type: "failed"; error: ErrorData };

/** Whether a message is the protocol's own: a team's module can send what it likes. */
export function isFromWorker(message: unknown): message is FromWorker {
  if (message === null || typeof message !== "object") return false;
  const { type, id, stepId, epoch, events, result, error } = message as Record<string, unknown>;
  switch (type) {
    case "beat":
      return true;
    case "claim":
      return typeof id === "number" && typeof stepId === "string";
    case "append":
      return typeof id === "number" && typeof epoch === "number" && EventDraftsSchema.safeParse(events).success;
    case "done":
      return result !== undefined;
    case "failed":
      return typeof (error as Partial<ErrorData> | null)?.message === "string";
    default:
      return false;
  }
}

const EventDraftsSchema = z.array(EventDraftSchema);

export type Claim = { epoch: number; recorded: RunEvent[] };

/** An error as JSON. */
export type ErrorData = { refused: boolean; code: string; message: string };

export function errorData(error: unknown): ErrorData {
  const code = error instanceof SwarmError ? error.code : "WORKER_FAILED";
  const message = error instanceof Error ? error.message : String(error);
  return { refused: error instanceof RefusedError, code, message };
}

export function errorOf({ refused, code, message }: ErrorData): SwarmError {
  return refused ? new RefusedError(code as RefusalCode, message) : new SwarmError(code, message);
}
