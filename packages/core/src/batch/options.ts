import { z } from "zod";
import { type JsonObject, JsonObjectSchema, type Schema } from "../contracts/json.ts";
import type { Task } from "../contracts/task.ts";
import type { RunOptions } from "../engine/run-options.ts";
import type { ProviderRate } from "./provider-gate.ts";
import type { BatchRow } from "./row.ts";
import type { BatchReport } from "./tally.ts";

/** Options of a batch's runs. The batch has its own way to end them, and no two of them can work for one directory. */
export type BatchRunOptions = Omit<RunOptions, "signal" | "workspace">;

/** A task with what its runs have of their own, such as a team; it goes before what all runs share. */
export type BatchTask = { task: Task; run?: Partial<BatchRunOptions> };

export type BatchOptions = {
  /**
   * The batch's own folder, for its journal `batch.jsonl`. Its name is the batch's id, of letters, digits, `_` and `-`, and begins
   * the ids of its runs.
   */
  folder: string;
  /**
   * Goes on with the batch in the folder: a run that came to an end is not made again, one that was cut off goes on from its
   * log, and one that the machinery failed is made again. Default false: the folder has no batch yet.
   */
  resume?: boolean;
  /** What the batch is, in the journal's first line; a resume with another one is refused. Default: nothing. */
  plan?: JsonObject;
  /** What all runs share. A guard that is not given is made, so that breakers count over all runs. */
  run: Partial<BatchRunOptions>;
  /** Runs of each task: with `resume`, no fewer than there are. Default 1. */
  repeat?: number;
  /** Runs that are under way at once. Default 2. */
  concurrency?: number;
  /**
   * US dollars of all runs together, those before a resume too. A call to a model is not made where it could go beyond them: its run
   * is cut off, to be gone on with, and no other begins. Default: no limit.
   */
  usd?: number;
  /**
   * What calls to providers may do together, by the provider, which begins a model's id: a call waits for its turn, wherever its step
   * runs. Whatever stands here, a provider that asks one caller to wait is left alone by all. Default: no limit.
   */
  rates?: Record<string, ProviderRate>;
  /** Steps of one team, by its name, that are under way at once, wherever they run. Default: no limit. */
  teamConcurrency?: Record<string, number>;
  /** How often a run that the machinery failed is made again. Default 3. */
  infrastructureRetries?: number;
  /** Wait before the first of these retries in milliseconds; it doubles with each. Default 15,000. */
  retryWaitMs?: number;
  /** Aborting it is {@link Batch.abort}. */
  signal?: AbortSignal;
};

export type BatchEvent =
  /** The journal is open. */
  | { type: "opened"; batchId: string }
  | { type: "started"; runId: string; taskId: string; repetition: number }
  /** The machinery failed the run; it is made again after the wait. */
  | { type: "retrying"; row: BatchRow; waitMs: number }
  /** The run is over, and in the journal. */
  | { type: "finished"; row: BatchRow }
  /** From now on no run begins. */
  | { type: "draining"; reason: string };

export type BatchProgress = {
  /** Runs that are under way. */
  running: number;
  /** Runs with an end that tells of the work, and those without one. */
  settled: number;
  unsettled: number;
  passed: number;
  usd: number | null;
};

/** A batch under way. */
export interface Batch {
  /** Calls back for each event. A listener that throws hurts only itself. Returns the function that stops it. */
  on(listener: (event: BatchEvent) => unknown): () => void;
  progress(): BatchProgress;
  /** Begins no run any more; those under way come to their end. */
  drain(reason?: string): void;
  /** Begins no run any more, and ends those under way within a second. They can be gone on with. */
  abort(reason?: string): void;
  /**
   * Resolves when no run is under way any more. Rejects for what the caller did wrong (a folder that has a batch, another
   * plan, two tasks with one id), and where logs or journal cannot be written: then those under way have ended before.
   */
  readonly result: Promise<BatchReport>;
}

const whole = z.int().positive();
export const BatchOptionsSchema: Schema<BatchOptions> = z.strictObject({
  folder: z.string().min(1),
  resume: z.boolean().exactOptional(),
  plan: JsonObjectSchema.exactOptional(),
  run: z.custom<Partial<BatchRunOptions>>((value) => typeof value === "object" && value !== null),
  repeat: whole.exactOptional(),
  concurrency: whole.exactOptional(),
  usd: z.number().positive().exactOptional(),
  rates: z
    .record(
      z.string(),
      z.strictObject({
        requestsPerMinute: z.number().positive().exactOptional(),
        tokensPerMinute: z.number().positive().exactOptional(),
      }),
    )
    .exactOptional(),
  teamConcurrency: z.record(z.string(), whole).exactOptional(),
  infrastructureRetries: z.int().nonnegative().exactOptional(),
  retryWaitMs: z.number().nonnegative().exactOptional(),
  signal: z.custom<AbortSignal>((value) => value instanceof AbortSignal).exactOptional(),
});
