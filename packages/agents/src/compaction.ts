import type { Turn } from "@swarm/core";
import { textPart } from "./turns.ts";

/** The last exchanges are what the model works from, so that many stay at least. */
const KEPT_EXCHANGES = 2;

/**
 * A thread that no longer fits its model's window, without the older half of its exchanges (an answer with the results of its
 * tool calls). What the thread began with stays, with a word on what is missing. Null when there is nothing to leave out.
 */
export function compacted(turns: readonly Turn[]): Turn[] | null {
  const [first, ...rest] = turns;
  const exchanges = Math.floor(rest.length / 2);
  const left = Math.min(Math.ceil(exchanges / 2), exchanges - KEPT_EXCHANGES);
  if (!first || left < 1) return null;
  const calls = rest.slice(0, left * 2).flatMap(({ parts }) => parts.filter(({ type }) => type === "tool")).length;
  const note = `(The thread grew too long. ${left} of your earlier answers, with ${calls} tool calls, are left out here; read again what you need.)`;
  return [{ ...first, parts: [...first.parts, textPart(note)] }, ...rest.slice(left * 2)];
}
