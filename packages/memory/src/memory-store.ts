import type { Memory } from "@swarm/core";
import type { RunRecord } from "./run-record.ts";

/** Long-term memory: what roles recall, and what is written to it once a run ends. Safe between processes. */
export interface MemoryStore extends Memory {
  /**
   * Keeps what a run did, in place of what was kept of the same run before. Rejects with an `InvalidInputError` for what is no
   * record, and with a `MemoryError` where it could not be kept; then nothing of it is.
   */
  remember(record: RunRecord, options?: { signal?: AbortSignal }): Promise<void>;
  /** Forgets every run. */
  clear(options?: { signal?: AbortSignal }): Promise<void>;
  /** Lets go of what it holds, such as an open file. May be called more than once; the next use opens it again. */
  close(): Promise<void>;
}

/**
 * Texts as vectors of one length, in their order, so that texts that mean the same are close by the cosine of their angle.
 * Rejects with the signal's reason as soon as the signal aborts.
 */
export type Embed = (texts: readonly string[], options: { signal: AbortSignal }) => Promise<number[][]>;

/** Most distance of what is still taken for related: 0 is the same, 1 has nothing in common. */
export const DEFAULT_MAX_DISTANCE = 0.65;
