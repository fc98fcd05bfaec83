import type { Turn } from "@swarm/core";
import { withoutExchanges } from "@swarm/memory";

/** The last exchanges are what the model works from, so that many stay at least. */
const KEPT_EXCHANGES = 2;

/**
 * A thread that no longer fits its model's window, without the older half of its exchanges (an answer with the results of its
 * tool calls). What the thread began with stays, with a word on what is missing. Null when there is nothing to leave out.
 */
export function compacted(turns: readonly Turn[]): Turn[] | null {
  const exchanges = Math.floor((turns.length - 1) / 2);
  const left = Math.min(Math.ceil(exchanges / 2), exchanges - KEPT_EXCHANGES);
  return left < 1 ? null : withoutExchanges(turns, left, "The thread grew too long.");
}
