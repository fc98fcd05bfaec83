import type { Json } from "@swarm/core";

const TOKEN = /[\s:,]+|[{}[\]]|"[^"\\]*(?:\\.[^"\\]*)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;
/** Deeper nesting and longer text are no answer. That bounds the work on a text of nothing but brackets. */
const DEEPEST = 64;
const LONGEST = 1_000_000;

/**
 * The JSON that a text holds: the whole text where that is JSON, otherwise every object and array that stands in it, in a
 * fenced block or amid prose. Of nested ones only the outermost. Text of more than a million characters is looked into only as a whole.
 */
export function jsonIn(text: string): Json[] {
  const whole = parse(text);
  if (whole !== undefined) return [whole];
  const found: Json[] = [];
  if (text.length > LONGEST) return found;
  for (let at = 0; at < text.length; at++) {
    if (text[at] !== "{" && text[at] !== "[") continue;
    const end = endOfValue(text, at);
    const value = end === null ? undefined : parse(text.slice(at, end));
    if (end === null || value === undefined) continue;
    found.push(value);
    at = end - 1;
  }
  return found;
}

/** Where the bracket at `start` is closed, or null when what follows it stops being JSON before that. */
function endOfValue(text: string, start: number): number | null {
  let depth = 0;
  TOKEN.lastIndex = start;
  for (let token = TOKEN.exec(text)?.[0]; token !== undefined && depth <= DEEPEST; token = TOKEN.exec(text)?.[0]) {
    if (token === "{" || token === "[") depth++;
    if (token === "}" || token === "]") depth--;
    if (depth === 0) return TOKEN.lastIndex;
  }
  return null;
}

function parse(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}
