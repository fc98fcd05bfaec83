import { type JsonObject, JsonObjectSchema, messageOf, type Part } from "@swarm/core";

type CallPart = Extract<Part, { type: "tool" | "malformed" }>;
export type WireCall = {
  id: string;
  tool: string;
  /** Mostly JSON text; some servers send the object itself. */
  args: unknown;
  /** Whether the answer ended within this call. */
  cut: boolean;
};

/**
 * A tool call of an answer: a `tool` part, or a `malformed` one where its arguments are no JSON object. Models send no
 * arguments as an empty text or null; that is `{}`, unless the call was cut off before its arguments began.
 */
export function toolCall({ id, tool, args, cut }: WireCall): CallPart {
  const text = typeof args === "string" ? args : JSON.stringify(args ?? null);
  const malformed = (problem: string): CallPart => ({ type: "malformed", id, tool, text, problem });
  if (text.trim() === "" || text.trim() === "null") {
    return cut ? malformed("the answer was cut off before the arguments") : { type: "tool", id, tool, args: {} };
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return malformed(cut ? "the answer was cut off within the arguments" : `not valid JSON: ${messageOf(error)}`);
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) return malformed("not a JSON object");
  // JSON text can hold numbers that no JSON value can, such as 1e999.
  if (!JsonObjectSchema.safeParse(value).success) return malformed("a number is out of range");
  return { type: "tool", id, tool, args: value as JsonObject };
}
