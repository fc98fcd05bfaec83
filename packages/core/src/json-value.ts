import { createHash } from "node:crypto";
import type { Json } from "./contracts/json.ts";
import { messageOf } from "./errors.ts";

/**
 * Any value as plain JSON: what a program sees is what the log can hold. Dates become ISO strings, maps lists of pairs, sets
 * lists, errors `{ name, message }`; what has no JSON form becomes a placeholder such as `[BigInt 12]`, `[Function f]` or
 * `[Circular]`. `undefined` is left out of objects and null in lists, as in JSON. Lone surrogates become U+FFFD.
 */
export function toJson(value: unknown): Json {
  return convert(value, []) ?? null;
}

function convert(value: unknown, above: object[]): Json | undefined {
  switch (typeof value) {
    case "string":
      return value.toWellFormed();
    case "boolean":
      return value;
    case "number":
      return Number.isFinite(value) ? value + 0 : `[Number ${value}]`; // + 0: JSON has no -0
    case "bigint":
      return `[BigInt ${value}]`;
    case "symbol":
      return `[${String(value)}]`;
    case "function":
      return `[Function ${value.name}]`;
    case "undefined":
      return undefined;
    default:
      return value === null ? null : convertObject(value as object, above);
  }
}

function convertObject(value: object, above: object[]): Json | undefined {
  if (above.includes(value)) return "[Circular]";
  const path = [...above, value];
  const item = (entry: unknown): Json => convert(entry, path) ?? null;
  if (Array.isArray(value)) return value.map(item);
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? "[Invalid Date]" : value.toISOString();
  if (value instanceof Map) return [...value].map(([key, entry]) => [item(key), item(entry)]);
  if (value instanceof Set) return [...value].map(item);
  if (value instanceof Error) return { name: value.name, message: value.message };
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) return `[Bytes ${value.byteLength}]`;
  const entries: [string, Json][] = [];
  for (const key of Object.keys(value)) {
    const entry = read(() => convert((value as Record<string, unknown>)[key], path));
    if (entry !== undefined) entries.push([key.toWellFormed(), entry]);
  }
  return Object.fromEntries(entries);
}

function read(get: () => Json | undefined): Json | undefined {
  try {
    return get();
  } catch (error) {
    return `[Thrown ${messageOf(error)}]`;
  }
}

/** JSON text with sorted keys: equal values have equal texts. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, entry: unknown) =>
    entry !== null && typeof entry === "object" && !Array.isArray(entry)
      ? Object.fromEntries(Object.entries(entry).sort(([a], [b]) => (a < b ? -1 : 1)))
      : entry,
  );
}

export function sha256(data: string | Uint8Array): string {
  return createHash("sha256").update(data).digest("hex");
}

/** A value with every string in it passed through `change`; keys stay. */
export function mapStrings(value: Json, change: (text: string) => string): Json {
  if (typeof value === "string") return change(value);
  if (Array.isArray(value)) return value.map((entry) => mapStrings(entry, change));
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, mapStrings(entry, change)]));
}
