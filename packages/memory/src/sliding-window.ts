import type { Turn } from "@swarm/core";

/**
 * The thread without the `count` exchanges that come after its first turn: an answer of the model with what it was told in
 * return. The first turn, which says what it is all about, stays, with a word on what is missing.
 */
export function withoutExchanges(turns: readonly Turn[], count: number, why: string): Turn[] {
  const [first, ...rest] = turns;
  if (!first || count < 1) return [...turns];
  const left = rest.slice(0, count * 2);
  const calls = left.flatMap(({ parts }) => parts.filter(({ type }) => type === "tool")).length;
  const note = `(${why} ${count} of your earlier answers, with ${calls} tool calls, are left out here; read again what you need.)`;
  return [{ ...first, parts: [...first.parts, { type: "text", text: note }] }, ...rest.slice(count * 2)];
}

/**
 * What a request keeps of a thread: its first turn, and at most the last `most` exchanges. The window does not slide at each
 * exchange but by half of its size at once, so that the beginning of one request is mostly that of the next: providers cache
 * it, and a log holds only what was added.
 */
export function slidingWindow(turns: readonly Turn[], most: number): Turn[] {
  const exchanges = Math.floor((turns.length - 1) / 2);
  if (exchanges <= most) return [...turns];
  const hop = Math.max(1, Math.floor(most / 2));
  return withoutExchanges(turns, Math.ceil((exchanges - most) / hop) * hop, "Only the last turns are kept.");
}
