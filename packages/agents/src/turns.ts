import type { Part, Turn } from "@swarm/core";

export function textPart(text: string): Part {
  return { type: "text", text };
}

/** What a model said in words, without its reasoning. */
export function textOf(parts: readonly Part[]): string {
  return parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("");
}

/**
 * The thread with more said by the user. Joins the last turn where that is the user's already: not every provider takes
 * two turns of one side.
 */
export function say(turns: readonly Turn[], parts: Part[]): Turn[] {
  if (parts.length === 0) return [...turns];
  const last = turns.at(-1);
  if (last?.role !== "user") return [...turns, { role: "user", parts }];
  return [...turns.slice(0, -1), { role: "user", parts: [...last.parts, ...parts] }];
}

/** The thread with a model's answer. An answer of which nothing can be sent back leaves no turn: no provider takes an empty one. */
export function answered(turns: readonly Turn[], parts: Part[]): Turn[] {
  return parts.length === 0 ? [...turns] : [...turns, { role: "assistant", parts }];
}
