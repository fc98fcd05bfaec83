import {
  type AttemptOrder,
  type AttemptResult,
  type EventDraft,
  EventDraftSchema,
  FaultSchema,
  type GuardPolicy,
  JsonSchema,
  type Recollection,
  type RunEvent,
  type Schema,
  SnapshotIdSchema,
} from "@swarm/core";
import { z } from "zod";
import type { Memories, RecallAsk } from "../memories.ts";
import { type ErrorData, RecallAskSchema } from "../protocol.ts";

/** What a worker asks of the gate, by name. Each is answered once, may be sent again, and then changes nothing. */
export type Requests = {
  /** The attempt itself, before it is claimed. */
  order: { ask: Record<string, never>; answer: Order };
  /** Takes hold of the step and fences whoever held it. `claim` tells one taking from another. */
  claim: { ask: { claim: string; worker: string }; answer: { epoch: number; recorded: RunEvent[] } };
  /** `nth` counts the appends of a holder from 0. One that has to wait is not done yet, and asked for again. */
  append: { ask: { epoch: number; nth: number; events: EventDraft[] }; answer: { done: boolean } };
  /** Says that the holder lives, and waits a while for the word that it has to stop. */
  beat: { ask: { epoch: number | null }; answer: { stop: ErrorData | null } };
  /** Asks a memory of the run. Null: it has not answered yet, and is asked for by the same id again. */
  recall: { ask: { id: string; recall: RecallAsk }; answer: Recollection[] | null };
  done: { ask: { epoch: number; result: AttemptResult }; answer: null };
  /** The attempt cannot be performed. `again`: by this worker; another may. */
  failed: { ask: { epoch: number | null; error: ErrorData; again: boolean }; answer: null };
};
export type RequestName = keyof Requests;

export type Order = {
  order: AttemptOrder;
  secrets: readonly string[];
  guard: Partial<GuardPolicy>;
  memories: Memories;
  /** A worker that could not reach the gate for so long stops: by then it is taken for lost. */
  leaseMs: number;
};

const ErrorDataSchema: Schema<ErrorData> = z.strictObject({
  refused: z.boolean(),
  code: z.string(),
  message: z.string(),
  retryable: z.boolean().nullable(),
});
const resultBase = { snapshot: SnapshotIdSchema, hint: z.string().nullable() };
const AttemptResultSchema: Schema<AttemptResult> = z.union([
  z.strictObject({ ...resultBase, ok: z.literal(true), output: JsonSchema }),
  z.strictObject({ ...resultBase, ok: z.literal(false), fault: FaultSchema }),
]);
const epoch = z.int();

/** A worker's word is checked: it runs a team's code. */
export const ASKS: { readonly [name in RequestName]: Schema<Requests[name]["ask"]> } = {
  order: z.strictObject({}),
  claim: z.strictObject({ claim: z.string().min(1), worker: z.string().min(1).max(200) }),
  append: z.strictObject({ epoch, nth: z.int().nonnegative(), events: z.array(EventDraftSchema) }),
  beat: z.strictObject({ epoch: epoch.nullable() }),
  recall: z.strictObject({ id: z.string().min(1), recall: RecallAskSchema }),
  done: z.strictObject({ epoch, result: AttemptResultSchema }),
  failed: z.strictObject({ epoch: epoch.nullable(), error: ErrorDataSchema, again: z.boolean() }),
};
