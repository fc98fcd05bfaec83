import type { Json, JsonObject } from "@swarm/core";

/**
 * What servers add to the messages of Chat Completions and want back unchanged, each in its own field: reasoning as text
 * (`reasoning_content`, `reasoning`), as signed blocks (`reasoning_details`), or as a signature on the message or on a
 * tool call (`extra_content`). All of one message is one opaque part.
 */
export type ChatReasoning = { message: JsonObject; calls: { [id: string]: Json } };

const FIELDS = ["reasoning_content", "reasoning", "reasoning_details", "extra_content"];

export function reasoningFields(message: object): JsonObject {
  return Object.fromEntries(Object.entries(message).filter(([name, value]) => FIELDS.includes(name) && value !== null));
}
