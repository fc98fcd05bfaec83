import { hash } from "node:crypto";
import type { Json } from "./contracts/json.ts";
import { messageOf } from "./errors.ts";

/** Deeper or larger values are no facts that a log should hold; what is beyond is left out, and says so. */
const MOST_LEVELS = 100;
const MOST_VALUES = 200_000;

/**
 * Any value as plain JSON: what a program sees is what the log can hold. Dates become ISO strings, maps lists of pairs, sets
 * lists, errors `{ name, message }`; what has no JSON form becomes a placeholder such as `[BigInt 12]`, `[Function f]` or
 * `[Circular]`. `undefined` is left out of objects and null in lists, as in JSON. Lone surrogates become U+FFFD, and a key
 * `__proto__` is left out. Never throws.
 */
export function toJson(value: unknown): Json {
  return new Conversion().of(value) ?? null;
}

class Conversion {
  readonly #above: object[] = [];
  #left = MOST_VALUES;

  of(value: unknown): Json | undefined {
    if (this.#left-- <= 0) return "[Left out]";
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
        return attempt(() => `[Function ${String(value.name)}]`);
      case "undefined":
        return undefined;
      default:
        return value === null ? null : this.#object(value as object);
    }
  }

  #object(value: object): Json {
    if (this.#above.includes(value)) return "[Circular]";
    if (this.#above.length >= MOST_LEVELS) return "[Too deep]";
    this.#above.push(value);
    try {
      return attempt(() => this.#entries(value));
    } finally {
      this.#above.pop();
    }
  }

  #entries(value: object): Json {
    const item = (entry: unknown): Json => this.of(entry) ?? null;
    if (Array.isArray(value)) return Array.from(value.keys(), (index) => attempt(() => item(value[index])));
    if (value instanceof Date) return Number.isNaN(value.getTime()) ? "[Invalid Date]" : value.toISOString();
    if (value instanceof Map) return [...value].map(([key, entry]) => [item(key), item(entry)]);
    if (value instanceof Set) return [...value].map(item);
    if (value instanceof Error) return { name: String(value.name), message: String(value.message).toWellFormed() };
    if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) return `[Bytes ${value.byteLength}]`;
    const made: Record<string, Json> = {};
    for (const key of Object.keys(value)) {
      const entry = key === "__proto__" ? undefined : attempt(() => this.of((value as Record<string, unknown>)[key]));
      if (entry !== undefined) made[key.toWellFormed()] = entry;
    }
    return made;
  }
}

/** Getters, proxies and the like may throw anything. */
function attempt<T extends Json | undefined>(get: () => T): T | string {
  try {
    return get();
  } catch (error) {
    return `[Thrown ${messageOf(error).toWellFormed()}]`;
  }
}

/** JSON text with sorted keys: equal values have equal texts. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(withSortedKeys(value));
}

/** Sorting first and then writing at once takes a third of the time of a replacer that sorts. */
function withSortedKeys(value: unknown): unknown {
  if (value === null || typeof value !== "object" || typeof (value as { toJSON?: unknown }).toJSON === "function") {
    return value; // JSON's own form of it is made when it is written
  }
  if (Array.isArray(value)) return value.map(withSortedKeys);
  return objectOf(Object.keys(value).sort(), (key) => withSortedKeys((value as Record<string, unknown>)[key]));
}

export function sha256(data: string | Uint8Array): string {
  return hash("sha256", data);
}

/** A value with every string in it, keys too, passed through `change`, which is told the field that a string is in. */
export function mapStrings(value: Json, change: (text: string, field?: string) => string, field?: string): Json {
  if (typeof value === "string") return change(value, field);
  if (Array.isArray(value)) return value.map((entry) => mapStrings(entry, change, field));
  if (value === null || typeof value !== "object") return value;
  const entry = (key: string) => mapStrings(value[key]!, change, key);
  return objectOf(Object.keys(value), entry, (key) => change(key));
}

/** `Object.fromEntries` of what `of` gives for each key, without a list of pairs: every event of a log comes through here. */
function objectOf<T>(keys: readonly string[], of: (key: string) => T, named = (key: string) => key): Record<string, T> {
  const made: Record<string, T> = {};
  for (const key of keys) {
    const name = named(key);
    if (name === "__proto__") return Object.fromEntries(keys.map((key) => [named(key), of(key)])); // there it is no entry
    made[name] = of(key);
  }
  return made;
}
