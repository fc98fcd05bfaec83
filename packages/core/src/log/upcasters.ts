import type { JsonObject } from "../contracts/json.ts";

/** Lifts a log from one schema to the next, line by line. Pure; each event stays one, with its `tsIndex`. */
export type Upcaster = { header(header: JsonObject): JsonObject; event(event: JsonObject): JsonObject };

/** By the schema that a log has. There is none yet: 1 is the first. Whoever raises `LOG_SCHEMA` adds the one for the last. */
export const UPCASTERS: Readonly<Record<number, Upcaster>> = {};
