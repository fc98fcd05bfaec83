import type { JsonObject } from "@swarm/core";
import { jsonIn } from "../json-in-text.ts";
import { AddressedSchema } from "./message.ts";

/**
 * What a model's words hold in the form of messages. They go to the broker like any other, so that one that speaks in another's
 * name is seen and recorded.
 */
export function messagesIn(text: string): JsonObject[] {
  return jsonIn(text).filter((value): value is JsonObject => AddressedSchema.safeParse(value).success);
}
