import type { Price } from "@swarm/core";

/** What a provider does not tell of its models, and the caller may. */
export type ModelOptions = {
  /** What tokens cost. Default null: unknown, so that a budget in dollars is refused unless the caller allows unpriced models. */
  price?: Price | null;
  /** Context window in tokens. Default null: unknown. */
  window?: number | null;
  /** Most milliseconds from a request to the end of its answer. Default 600 000. */
  timeoutMs?: number;
};

export type StreamOptions = {
  /** Most milliseconds in which a streamed answer may be silent, from the request on. Default 120 000. */
  idleMs?: number;
};

export const DEFAULT_TIMEOUT_MS = 600_000;
export const DEFAULT_IDLE_MS = 120_000;
