import { randomUUID } from "node:crypto";
import { readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import {
  type CacheLookup,
  canonicalJson,
  createRedactor,
  InvalidInputError,
  type LLMClient,
  type LLMRequest,
  type LLMResponse,
  LLMResponseSchema,
  makeFolder,
  redactJson,
  type Schema,
  sha256,
} from "@swarm/core";
import { z } from "zod";
import { wrapClient } from "./wrap-client.ts";

export type CacheOptions = {
  /** Folder of the entries, such as `.swarm/cache`; made when the first answer is kept. */
  directory: string;
  /** How long an answer is fresh, in seconds. Default 3600; 0 turns the cache off. */
  ttlSeconds?: number;
  /** Values that no entry holds, such as keys; what is shaped like a key is taken out too. Default: none. */
  secrets?: readonly string[];
  /** Milliseconds since the epoch. Default: the system's clock. */
  now?: () => number;
};

const DEFAULT_TTL_SECONDS = 3600;

/** `at` is when the answer was kept, in milliseconds since the epoch. */
type Entry = { at: number; response: LLMResponse };
const EntrySchema: Schema<Entry> = z.strictObject({ at: z.number(), response: LLMResponseSchema });

/**
 * A client that keeps the answers to cacheable requests as files, and finds them again by `cached()`. An equal request is
 * one with the same model, system prompt, turns, tools, output schema, effort, temperature and token limit. What is set on
 * the client itself, such as its address or Anthropic's `thinking`, is not part of a request: clients of one model that
 * differ in it need folders of their own.
 *
 * Kept are whole answers alone: none that was cut off at the token limit, refused or filtered, and none that is empty or
 * holds a malformed tool call. `complete()` always asks the provider. An entry is written whole or not at all, so that
 * processes may share the folder; one that is damaged is a miss, and written anew. Expired ones are removed when met.
 *
 * The cache never fails a call: a folder that cannot be read or written only keeps nothing. It shows as a miss each time a
 * request is repeated: `cached()` says so, and a run tells it as `cache_miss`.
 */
export function cachedOnDisk(client: LLMClient, options: CacheOptions): LLMClient {
  const { directory, ttlSeconds = DEFAULT_TTL_SECONDS, secrets, now = Date.now } = options;
  const redact = createRedactor(secrets);
  if (directory === "") throw new InvalidInputError("directory", "is empty; name a folder, such as .swarm/cache");
  if (!(ttlSeconds >= 0))
    throw new InvalidInputError("ttlSeconds", `is ${ttlSeconds}; give seconds, or 0 for no cache`);
  if (ttlSeconds === 0) return client;
  const fileOf = (request: LLMRequest) => {
    const key = keyOf(request);
    return join(directory, key.slice(0, 2), `${key.slice(2)}.json`);
  };

  return wrapClient(client, {
    async cached(request): Promise<CacheLookup> {
      const file = fileOf(request);
      const entry = await read(file);
      if (entry === null) return { state: "miss" };
      const age = now() - entry.at;
      // An entry from the future was kept under another clock, and would be fresh for who knows how long.
      if (age >= 0 && age < ttlSeconds * 1000) return { state: "hit", response: entry.response };
      await rm(file, { force: true }).catch(keepsNothing);
      return { state: "expired" };
    },
    async complete(request, call) {
      const response = await client.complete(request, call);
      if (request.cacheable && isWhole(response)) {
        await write(fileOf(request), { at: now(), response: redactJson(response, redact) }).catch(keepsNothing);
      }
      return response;
    },
  });
}

function keyOf({ model, system, turns, tools, output, effort, temperature, maxTokens }: LLMRequest): string {
  return sha256(canonicalJson({ model, system, turns, tools, output, effort, temperature, maxTokens }));
}

function isWhole({ parts, stop }: LLMResponse): boolean {
  return (stop === "end" || stop === "tool") && parts.length > 0 && !parts.some((part) => part.type === "malformed");
}

async function read(file: string): Promise<Entry | null> {
  try {
    const entry: unknown = JSON.parse(await readFile(file, "utf8"));
    EntrySchema.parse(entry);
    // As it was read, and not as the schema gives it: reasoning has to go back byte for byte.
    return entry as Entry;
  } catch {
    return keepsNothing();
  }
}

async function write(file: string, entry: Entry): Promise<void> {
  const temporary = `${file}.${randomUUID()}.tmp`;
  makeFolder(dirname(file));
  try {
    await writeFile(temporary, JSON.stringify(entry), { flag: "wx" });
    await rename(temporary, file);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

/** What becomes of every fault of the cache: the contract is that the call goes on, and that lookups tell a miss. */
function keepsNothing(): null {
  return null;
}
