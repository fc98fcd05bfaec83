import { z } from "zod";
import type { Schema } from "../contracts/json.ts";
import type { Trajectory } from "../contracts/trajectory.ts";
import { OUTCOMES, type Outcome } from "../contracts/verdict.ts";

/** What a batch keeps of one of its runs: a line of its journal. */
export type BatchRow = {
  taskId: string;
  /** Which run of the task, from 1. */
  repetition: number;
  /** Names the log. */
  runId: string;
  /** Null for a run that was refused before it began or went on, such as for an invalid task or a damaged log. */
  outcome: Outcome | null;
  passed: boolean;
  /** The verdict's first reason, such as a check that could not be made, or why the run was refused. */
  reason: string | null;
  /** Signature of the failure that a run that did not pass ended with. */
  failureSignature: string | null;
  /** Signatures of all attempts that failed by themselves, in their order, also in a run that passed. */
  failures: string[];
  /** Attempts that were made again after a failure. */
  repairs: number;
  modelCalls: number;
  tokens: number;
  /** US dollars; null where a model has no price. */
  usd: number | null;
  /** Milliseconds that the run took. */
  elapsedMs: number;
  /** Runs of this row before, each with a log of its own, that the machinery failed, and what they cost. */
  lost: { runs: number; usd: number | null };
};

const count = z.int().nonnegative();

export const BatchRowSchema: Schema<BatchRow> = z.strictObject({
  taskId: z.string(),
  repetition: z.int().positive(),
  runId: z.string(),
  outcome: z.enum(OUTCOMES).nullable(),
  passed: z.boolean(),
  reason: z.string().nullable(),
  failureSignature: z.string().nullable(),
  failures: z.array(z.string()),
  repairs: count,
  modelCalls: count,
  tokens: count,
  usd: z.number().nullable(),
  elapsedMs: z.number(),
  lost: z.strictObject({ runs: count, usd: z.number().nullable() }),
});

export type RowId = Pick<BatchRow, "taskId" | "repetition" | "runId" | "lost">;

/** Whether the run came to an end that tells of the work. The others are made again when their batch is resumed. */
export function isSettled({ outcome }: Pick<BatchRow, "outcome">): boolean {
  return outcome !== null && outcome !== "infra-error" && outcome !== "aborted";
}

/** What the machinery has cost a row so far, where `row` is the last that is known of it. */
export function lostSoFar(row: BatchRow | undefined): BatchRow["lost"] {
  if (row === undefined) return { runs: 0, usd: 0 };
  if (row.outcome !== "infra-error") return row.lost;
  return { runs: row.lost.runs + 1, usd: sumOf(row.lost.usd, row.usd) };
}

/** Dollars of which some may be unknown: then so is the sum. */
export function sumOf(a: number | null, b: number | null): number | null {
  return a === null || b === null ? null : a + b;
}

export function rowOf(id: RowId, { events, verdict, usage, failureSignature }: Trajectory): BatchRow {
  const { input, output, cacheRead, cacheWrite } = usage;
  const elapsed = events.at(-1)?.payload.measured?.["elapsedMs"];
  return {
    ...id,
    outcome: verdict.outcome,
    passed: verdict.passed,
    reason: verdict.reasons[0] ?? null,
    failureSignature,
    failures: events.flatMap(({ key, payload }) =>
      payload.type === "fault" && key !== null && !payload.fault.infrastructure ? [payload.signature] : [],
    ),
    repairs: events.filter(({ key, payload }) => payload.type === "attempt" && !key?.startsWith("0.")).length,
    modelCalls: usage.modelCalls,
    tokens: input + output + cacheRead + cacheWrite,
    usd: usage.usd,
    elapsedMs: typeof elapsed === "number" ? elapsed : 0,
  };
}

/** Of a run that has no log. */
export function rowWithout(id: RowId, outcome: "infra-error" | "aborted" | null, reason: string): BatchRow {
  return {
    ...id,
    outcome,
    passed: false,
    reason,
    failureSignature: null,
    failures: [],
    repairs: 0,
    modelCalls: 0,
    tokens: 0,
    usd: 0,
    elapsedMs: 0,
  };
}
