import {
  type AttemptOrder,
  type AttemptResult,
  type EventDraft,
  type RefusalCode,
  RefusedError,
  type RunEvent,
  SwarmError,
  type TeamRef,
} from "@swarm/core";

/** What the executor tells a worker: JSON, as is all that passes between them. */
export type ToWorker =
  | { type: "check"; module: string; team: TeamRef }
  | { type: "perform"; module: string; order: AttemptOrder }
  | { type: "reply"; id: number; value?: Claim | null; error?: ErrorData }
  | { type: "abort"; error: ErrorData };

/** What a worker tells the executor. Anything it says renews its lease; `beat` says only that it is alive. */
export type FromWorker =
  | { type: "beat" }
  | { type: "claim"; id: number; stepId: string }
  | { type: "append"; id: number; epoch: number; events: EventDraft[] }
  | { type: "done"; result: AttemptResult | null }
  | { type: "failed"; error: ErrorData };

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
