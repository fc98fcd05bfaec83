import { type ZodType, z } from "zod";

/** Plain JSON: what crosses the seam to another process or lands in the log. */
export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };
export type JsonObject = { [key: string]: Json };

/** A zod schema that neither transforms nor defaults, so that what was checked is what is used. */
export type Schema<T> = ZodType<T, T>;

export const JsonSchema: Schema<Json> = z.json();
export const JsonObjectSchema: Schema<JsonObject> = z.record(z.string(), JsonSchema);
