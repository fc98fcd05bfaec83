import { randomUUID } from "node:crypto";
import { existsSync, renameSync, rmSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import { setTimeout } from "node:timers/promises";
import { createRedactor, type Recollection, type Redact, redactJson, untilAborted } from "@swarm/core";
import { MemoryError } from "../memory-error.ts";
import { DEFAULT_MAX_DISTANCE, type Embed, type MemoryStore } from "../memory-store.ts";
import { checkRecord, type RunRecord, recordText } from "../run-record.ts";
import { wordsOf } from "../words.ts";
import { damaged, databaseError } from "./database-error.ts";
import { nearest, toBytes } from "./nearest.ts";
import { IN_MEMORY, openDatabase, transaction } from "./open-database.ts";

export type SqliteMemoryOptions = {
  /** The database's file; it and its folder are made when something is first kept or asked. `:memory:` is kept nowhere. */
  file: string;
  /** Values that are not kept, such as keys; what is shaped like a key is never kept. Default: none. */
  secrets?: readonly string[];
  /** Finds runs by what their text means. Default: none; they are found by their words (bm25 of SQLite's FTS5). */
  embed?: Embed;
  /** With `embed`: the greatest distance of a run that is brought back, 0 to 2. Default 0.65. */
  maxDistance?: number;
};

/** Long enough for every process that writes a run just now. */
const BUSY_MS = 10_000;
const MOST_PAUSE_MS = 25;
/** More words do not make a question clearer. */
const MOST_WORDS = 100;

/** Long-term memory in one SQLite file, without a server. Opened when it is first used; importing and making it does nothing. */
export function sqliteMemory(options: SqliteMemoryOptions): MemoryStore {
  return new SqliteMemory(options);
}

class SqliteMemory implements MemoryStore {
  readonly specificationVersion = "v1";
  readonly #file: string;
  readonly #redact: Redact;
  readonly #embed: Embed | null;
  readonly #maxDistance: number;
  #database: DatabaseSync | null = null;

  constructor({ file, secrets = [], embed, maxDistance = DEFAULT_MAX_DISTANCE }: SqliteMemoryOptions) {
    this.#file = file;
    this.#redact = createRedactor(secrets);
    this.#embed = embed ?? null;
    this.#maxDistance = maxDistance;
  }

  async recall(question: string, { limit, signal }: { limit: number; signal: AbortSignal }): Promise<Recollection[]> {
    signal.throwIfAborted();
    if (this.#embed) return await this.#byMeaning(this.#embed, question, limit, signal);
    const words = [...new Set(wordsOf(question))].slice(0, MOST_WORDS);
    if (words.length === 0) return [];
    // quoted: a word is never an operator of the query language
    const match = words.map((word) => `"${word}"`).join(" OR ");
    const rows = await this.#use(
      (database) =>
        database
          .prepare(
            `SELECT run_id, record FROM words JOIN runs ON runs.id = words.rowid
             WHERE words MATCH ? ORDER BY bm25(words), runs.id DESC LIMIT ?`,
          )
          .all(match, limit),
      signal,
    );
    return rows.map((row) => this.#recollection(row, null));
  }

  async #byMeaning(embed: Embed, question: string, limit: number, signal: AbortSignal): Promise<Recollection[]> {
    const [vector = []] = await untilAborted(signal, (signal) => embed([question], { signal }));
    return await this.#use((database) => {
      const vectors = database.prepare("SELECT id, vector FROM runs WHERE vector IS NOT NULL").iterate();
      const near = nearest(vectors as Iterable<{ id: number; vector: Uint8Array }>, vector, this.#maxDistance);
      const run = database.prepare("SELECT run_id, record FROM runs WHERE id = ?");
      return near.slice(0, limit).map(({ id, distance }) => this.#recollection(run.get(id) ?? {}, distance));
    }, signal);
  }

  async remember(given: RunRecord, { signal = never() }: { signal?: AbortSignal } = {}): Promise<void> {
    signal.throwIfAborted();
    const record = redactJson(checkRecord(given), this.#redact);
    const text = recordText(record);
    const [vector] = this.#embed ? await untilAborted(signal, (signal) => this.#embed!([text], { signal })) : [];
    await this.#use(
      (database) =>
        transaction(database, () => {
          const { id } = database
            .prepare(
              `INSERT INTO runs (run_id, record, vector) VALUES (?, ?, ?)
               ON CONFLICT (run_id) DO UPDATE SET record = excluded.record, vector = excluded.vector RETURNING id`,
            )
            .get(record.runId, JSON.stringify(record), vector ? toBytes(vector) : null) as { id: number };
          database.prepare("DELETE FROM words WHERE rowid = ?").run(id);
          database.prepare("INSERT INTO words (rowid, text) VALUES (?, ?)").run(id, text);
        }),
      signal,
    );
  }

  async clear({ signal = never() }: { signal?: AbortSignal } = {}): Promise<void> {
    if (this.#file !== IN_MEMORY && !existsSync(this.#file)) return;
    try {
      const forget = (database: DatabaseSync) => database.exec("DELETE FROM runs; DELETE FROM words");
      await this.#use((database) => transaction(database, () => forget(database)), signal);
    } catch (error) {
      if (!(error instanceof MemoryError && error.code === "MEMORY_DAMAGED")) throw error;
      this.#moveAside();
    }
  }

  /** What is damaged may be of use to someone, or no memory at all: it is not deleted. */
  #moveAside(): void {
    try {
      renameSync(this.#file, `${this.#file}.damaged-${randomUUID().slice(0, 8)}`);
      for (const end of ["-wal", "-shm"]) rmSync(`${this.#file}${end}`, { force: true });
    } catch (error) {
      throw databaseError(error, this.#file);
    }
  }

  async close(): Promise<void> {
    if (this.#file !== IN_MEMORY) this.#letGo();
  }

  /** Works on the open database, and waits while other processes keep it busy. */
  async #use<T>(work: (database: DatabaseSync) => T, signal: AbortSignal): Promise<T> {
    for (const until = performance.now() + BUSY_MS; ; ) {
      try {
        this.#database ??= openDatabase(this.#file);
        return work(this.#database);
      } catch (thrown) {
        const error = databaseError(thrown, this.#file);
        const isBusy = error instanceof MemoryError && error.code === "MEMORY_BUSY";
        if (error instanceof MemoryError && !isBusy) this.#letGo();
        if (!isBusy || performance.now() > until) throw error;
      }
      await untilAborted(signal, () => setTimeout(Math.random() * MOST_PAUSE_MS));
    }
  }

  #letGo(): void {
    this.#database?.close();
    this.#database = null;
  }

  #recollection(row: Record<string, unknown>, distance: number | null): Recollection {
    const { run_id, record } = row as { run_id: string; record: string };
    return { id: run_id, text: recordText(this.#parsed(record)), distance };
  }

  #parsed(record: string): RunRecord {
    try {
      return checkRecord(JSON.parse(record) as RunRecord);
    } catch (error) {
      throw damaged(this.#file, "a run in it cannot be read", error);
    }
  }
}

function never(): AbortSignal {
  return new AbortController().signal;
}
