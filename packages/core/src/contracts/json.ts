import { type ZodType, z } from "zod";

/** Plain JSON: what crosses the seam to another process or lands in the log. */
export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };
export type JsonObject = { [key: string]: Json };

/**
 * A value of one of our types as the JSON that it is. They hold nothing else, which TypeScript does not see of an interface, nor of what
 * is optional or read-only. What may be anything is made JSON by `toJson`.
 */
export function asJson(value: readonly object[]): JsonObject[];
export function asJson(value: object): JsonObject;
export function asJson(value: object): unknown {
  return value;
}

/** A zod schema that neither transforms nor defaults, so that what was checked is what is used. */
export type Schema<T> = ZodType<T, T>;

// Every event of a log passes here: zod's own schema of JSON takes forty times as long, and does not say where it failed.
export const JsonSchema = z.unknown().superRefine(refuseNonJson) as Schema<Json>;
export const JsonObjectSchema = z
  .unknown()
  .refine(isPlainObject, { error: "Invalid input: expected an object", abort: true })
  .superRefine(refuseNonJson)
  .meta({ type: "object" }) as Schema<JsonObject>;

function refuseNonJson(value: unknown, context: z.RefinementCtx): void {
  const path = placeOfNonJson(value);
  if (path) context.addIssue({ code: "custom", path, message: "Invalid input: it has no JSON form" });
}

/** The path of the first value in `value` that JSON cannot hold; null where it is JSON all through. */
function placeOfNonJson(value: unknown): (string | number)[] | null {
  if (value === null || typeof value === "string" || typeof value === "boolean") return null;
  if (typeof value === "number") return Number.isFinite(value) ? null : [];
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) {
      const path = placeOfNonJson(value[index]);
      if (path) return [index, ...path];
    }
    return null;
  }
  if (!isPlainObject(value)) return [];
  for (const key of Object.keys(value)) {
    const path = placeOfNonJson(value[key]);
    if (path) return [key, ...path];
  }
  return null;
}

/** Also one of another realm, such as a test runner's. */
function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== "object" || value === null) return false;
  const prototype = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}
