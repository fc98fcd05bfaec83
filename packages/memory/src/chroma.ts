import {
  createRedactor,
  InvalidInputError,
  messageOf,
  type Recollection,
  type Redact,
  redactJson,
  untilAborted,
} from "@swarm/core";
import { z } from "zod";
import { MemoryError } from "./memory-error.ts";
import { DEFAULT_MAX_DISTANCE, type Embed, type MemoryStore } from "./memory-store.ts";
import { checkRecord, type RunRecord, recordText } from "./run-record.ts";
import { wordEmbedding } from "./word-embedding.ts";

export type ChromaOptions = {
  /** Where the server is, such as `http://localhost:8000`. */
  url: string;
  /** The collection that runs are kept in; made when it is first used. Default `swarm-runs`. */
  collection?: string;
  /** Default: {@link wordEmbedding}. One collection takes the vectors of one embedding only. */
  embed?: Embed;
  /** The greatest distance of a run that is brought back, by the cosine of the angle, 0 to 2. Default 0.65. */
  maxDistance?: number;
  /** Values that are not kept, such as keys; what is shaped like a key is never kept. Default: none. */
  secrets?: readonly string[];
  /** Default `default_tenant` and `default_database`. */
  tenant?: string;
  database?: string;
  /** Sent with each request, such as a token. Default: none. */
  headers?: Readonly<Record<string, string>>;
  /** How long the server may take to answer a request. Default 5 s. */
  timeoutMs?: number;
  /** Default: the global one. */
  fetch?: typeof fetch;
};

/**
 * Long-term memory in a Chroma server, by its HTTP API (version 2). Makes no request before it is used. Throws an
 * {@link InvalidInputError} for an address that is none.
 */
export function chroma(options: ChromaOptions): MemoryStore {
  return new ChromaMemory(options);
}

const CollectionSchema = z.object({ id: z.string() });
/** One list an embedding that was asked for; ours is one. */
const FoundSchema = z.object({
  ids: z.array(z.array(z.string())),
  documents: z.array(z.array(z.string().nullable())),
  distances: z.array(z.array(z.number().nullable())),
});

type Request = { method: "POST" | "DELETE"; path: string; body?: object; signal: AbortSignal };

class ChromaMemory implements MemoryStore {
  readonly specificationVersion = "v1";
  readonly #collections: string;
  readonly #name: string;
  readonly #embed: Embed;
  readonly #maxDistance: number;
  readonly #redact: Redact;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #timeoutMs: number;
  readonly #fetch: typeof fetch;
  #collectionId: string | null = null;

  constructor({ url, collection = "swarm-runs", embed = wordEmbedding, ...options }: ChromaOptions) {
    const { tenant = "default_tenant", database = "default_database", timeoutMs = 5_000 } = options;
    if (!/^https?:\/\/[^/]/.test(url) || !URL.canParse(url)) {
      throw new InvalidInputError(
        "url",
        `has to be the address of a Chroma server, such as http://localhost:8000, and is ${JSON.stringify(url)}`,
      );
    }
    const place = ["tenants", tenant, "databases", database, "collections"].map(encodeURIComponent).join("/");
    this.#collections = `${url.replace(/\/+$/, "")}/api/v2/${place}`;
    this.#name = collection;
    this.#embed = embed;
    this.#maxDistance = options.maxDistance ?? DEFAULT_MAX_DISTANCE;
    this.#redact = createRedactor(options.secrets);
    this.#headers = options.headers ?? {};
    this.#timeoutMs = timeoutMs;
    this.#fetch = options.fetch ?? fetch;
  }

  async recall(question: string, { limit, signal }: { limit: number; signal: AbortSignal }): Promise<Recollection[]> {
    const [vector] = await untilAborted(signal, (signal) => this.#embed([question], { signal }));
    const body = { query_embeddings: [vector], n_results: limit, include: ["documents", "distances"] };
    const { ids, documents, distances } = FoundSchema.parse(await this.#inCollection("query", body, signal));
    return (ids[0] ?? []).flatMap((id, index): Recollection[] => {
      const [text, distance] = [documents[0]?.[index], distances[0]?.[index]];
      return text && typeof distance === "number" && distance <= this.#maxDistance
        ? [{ id, text, distance: Math.max(0, distance) }]
        : [];
    });
  }

  async remember(given: RunRecord, { signal = never() }: { signal?: AbortSignal } = {}): Promise<void> {
    const record = redactJson(checkRecord(given), this.#redact);
    const text = recordText(record);
    const embeddings = await untilAborted(signal, (signal) => this.#embed([text], { signal }));
    const metadatas = [{ outcome: record.outcome, record: JSON.stringify(record) }];
    await this.#inCollection("upsert", { ids: [record.runId], embeddings, documents: [text], metadatas }, signal);
  }

  async clear({ signal = never() }: { signal?: AbortSignal } = {}): Promise<void> {
    this.#collectionId = null;
    try {
      await this.#request({ method: "DELETE", path: `/${encodeURIComponent(this.#name)}`, signal });
    } catch (error) {
      if (!isGone(error)) throw error;
    }
  }

  async close(): Promise<void> {}

  /** Another process may have cleared the memory: then the collection is made anew, once. */
  async #inCollection(what: "query" | "upsert", body: object, signal: AbortSignal): Promise<unknown> {
    const known = this.#collectionId;
    try {
      const id = known ?? (await this.#makeCollection(signal));
      return await this.#request({ method: "POST", path: `/${id}/${what}`, body, signal });
    } catch (error) {
      if (!isGone(error) || known === null) throw error;
      this.#collectionId = null;
      return await this.#inCollection(what, body, signal);
    }
  }

  async #makeCollection(signal: AbortSignal): Promise<string> {
    const body = { name: this.#name, get_or_create: true, configuration: { hnsw: { space: "cosine" } } };
    const { id } = CollectionSchema.parse(await this.#request({ method: "POST", path: "", body, signal }));
    this.#collectionId = id;
    return id;
  }

  async #request({ method, path, body, signal }: Request): Promise<unknown> {
    const timeout = AbortSignal.timeout(this.#timeoutMs);
    try {
      const response = await this.#fetch(`${this.#collections}${path}`, {
        method,
        headers: { "content-type": "application/json", ...this.#headers },
        ...(body ? { body: JSON.stringify(body) } : {}),
        signal: AbortSignal.any([signal, timeout]),
      });
      const text = await response.text();
      if (!response.ok) throw this.#refused(response.status, text);
      return JSON.parse(text);
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      if (error instanceof MemoryError) throw error;
      const cause = error instanceof Error && error.cause ? messageOf(error.cause) : messageOf(error);
      const why = timeout.aborted ? `no answer within ${this.#timeoutMs / 1000} s` : cause;
      throw new MemoryError("MEMORY_UNREACHABLE", `the memory server ${this.#collections} gave no answer (${why})`, {
        cause: error,
      });
    }
  }

  #refused(status: number, text: string): MemoryError {
    const isPassing = status === 408 || status === 429 || status >= 500;
    const code = isPassing ? "MEMORY_UNREACHABLE" : "MEMORY_REFUSED";
    const advice = /dimension/i.test(text)
      ? "; another embedding made this collection: name another one, or clear it"
      : "";
    return new MemoryError(
      code,
      `the memory server ${this.#collections} answered ${status}: ${text.slice(0, 300)}${advice}`,
      { status },
    );
  }
}

function isGone(error: unknown): boolean {
  return error instanceof MemoryError && error.status === 404;
}

function never(): AbortSignal {
  return new AbortController().signal;
}
