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
  /** Takes hold of the step and fences whoever held it. `claim` tells one taking from another. */
  take: { ask: { claim: string; worker: string }; answer: Taken };
  /**
   * What a holder caused since it told the last time: its appends in order, each by itself, and at last its result. `nth` counts from
   * 0. What has to wait is not done yet, and asked for again.
   */
  tell: { ask: Tidings & { epoch: number; nth: number }; answer: { done: boolean } };
  /** Says that the holder lives, and waits a while for the word that it has to stop. */
  beat: { ask: { epoch: number | null }; answer: { stop: ErrorData | null } };
  /** Asks a memory of the run. Null: it has not answered yet, and is asked for by the same id again. */
  recall: { ask: { id: string; recall: RecallAsk }; answer: Recollection[] | null };
  /** The attempt cannot be performed. `again`: by this worker; another may. */
  failed: { ask: { epoch: number | null; error: ErrorData; again: boolean }; answer: null };
};
export type RequestName = keyof Requests;

export type Tidings = { appends: EventDraft[][]; result: AttemptResult | null };

/** An attempt, and all that its holder has to know. */
export type Taken = {
  order: AttemptOrder;
  epoch: number;
  /** What the log holds of the step. */
  recorded: RunEvent[];
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
  take: z.strictObject({ claim: z.string().min(1), worker: z.string().min(1).max(200) }),
  tell: z.strictObject({
    epoch,
    nth: z.int().nonnegative(),
    appends: z.array(z.array(EventDraftSchema)),
    result: AttemptResultSchema.nullable(),
  }),
  beat: z.strictObject({ epoch: epoch.nullable() }),
  recall: z.strictObject({ id: z.string().min(1), recall: RecallAskSchema }),
  failed: z.strictObject({ epoch: epoch.nullable(), error: ErrorDataSchema, again: z.boolean() }),
};
