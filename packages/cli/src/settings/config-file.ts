import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { InvalidInputError, messageOf } from "@swarm/core";

export const CONFIG_FILES = ["swarm.config.ts", "swarm.config.mjs", "swarm.config.json"] as const;
/** It may ask a server for a value, and may not hang for ever. */
const LOAD_TIMEOUT_MS = 10_000;

export type ConfigFile = { name: string; values: Record<string, unknown> };

/**
 * What the configuration file in a folder holds, or null where there is none. A `.ts` or `.mjs` one is code that is run, and
 * has the object as its default export. Throws an {@link InvalidInputError} that names the file: two of them, one that cannot
 * be loaded or takes longer than ten seconds, one that is no plain object.
 */
export async function readConfigFile(cwd: string): Promise<ConfigFile | null> {
  const names = new Set(await readdir(cwd));
  const [name, other] = CONFIG_FILES.filter((name) => names.has(name));
  if (name === undefined) return null;
  if (other !== undefined) throw new InvalidInputError(other, `is there beside ${name}; keep one of them`);
  const path = join(cwd, name);
  const values = await load(path).catch((error: unknown) => {
    throw new InvalidInputError(name, `cannot be loaded: ${messageOf(error)}`, { cause: error });
  });
  if (!isPlainObject(values)) {
    const place = name.endsWith(".json") ? "has to hold" : "has to have as its default export";
    throw new InvalidInputError(name, `${place} a plain object`);
  }
  return { name, values };
}

async function load(path: string): Promise<unknown> {
  if (path.endsWith(".json")) return JSON.parse(await readFile(path, "utf8"));
  return (await withinTime(import(pathToFileURL(path).href) as Promise<{ default?: unknown }>)).default;
}

async function withinTime<T>(loading: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const late = () => reject(new Error(`it was not done after ${LOAD_TIMEOUT_MS / 1000} seconds`));
  const timer = setTimeout(late, LOAD_TIMEOUT_MS);
  try {
    return await Promise.race([loading, promise]);
  } finally {
    clearTimeout(timer);
  }
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype;
}
