import type { Part, ToolResult, Turn } from "@swarm/core";

/**
 * Turns in the form that every provider takes. Reasoning of other providers is left out. Neighbouring turns of one role
 * are one. Each tool call, malformed ones included, is followed by its result, in call order and before any text: a call
 * that an interrupt left without one gets an error result, and a result without its call, which has no meaning left, goes.
 */
export function sendable(turns: readonly Turn[], provider: string): Turn[] {
  const sent: Turn[] = [];
  let open: string[] = [];
  for (const { role, parts } of merged(turns, provider)) {
    if (role === "assistant") {
      sent.push({ role, parts });
      open = parts.flatMap((part) => (part.type === "tool" || part.type === "malformed" ? [part.id] : []));
    } else {
      const results = new Map(parts.flatMap((part) => (part.type === "result" ? [[part.id, part]] : [])));
      const rest = parts.filter((part) => part.type !== "result");
      sent.push({ role, parts: [...open.map((id) => results.get(id) ?? interrupted(id)), ...rest] });
      open = [];
    }
  }
  if (open.length > 0) sent.push({ role: "user", parts: open.map(interrupted) });
  return sent.filter(({ parts }) => parts.length > 0);
}

function merged(turns: readonly Turn[], provider: string): Turn[] {
  const whole: Turn[] = [];
  for (const { role, parts } of turns) {
    const kept = parts.filter((part: Part) => part.type !== "reasoning" || part.provider === provider);
    if (kept.length === 0) continue;
    const last = whole.at(-1);
    if (last?.role === role) last.parts.push(...kept);
    else whole.push({ role, parts: kept });
  }
  return whole;
}

function interrupted(id: string): ToolResult {
  return { type: "result", id, ok: false, output: "interrupted: the call has no result" };
}
