import type { Price } from "@swarm/core";

/** What a provider does not tell of its models, and the caller may. */
export type ModelOptions = {
  /** What tokens cost. Default null: unknown, so that a budget in dollars counts nothing for this model. */
  price?: Price | null;
  /** Context window in tokens. Default null: unknown. */
  window?: number | null;
};
