import { rmSync } from "node:fs";
import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { messageOf, type Outcome } from "@swarm/core";
import type { RunFilter } from "../run/filter.ts";
import { refresh } from "./refresh.ts";
import { loadSqlite } from "./sqlite.ts";
import { type Stats, statsOf } from "./stats.ts";
import { TABLES, VERSION } from "./tables.ts";
import { whereOf } from "./where.ts";

/** The file of an index, in the folder of the logs that it is made of. */
export const INDEX_FILE = ".index.sqlite";

/** What runs can be sorted by; the last started, dearest or busiest first, tasks by name. */
export const SORTS = {
  started: "startedAt DESC, file",
  cost: "usd DESC, file",
  tokens: "input + output DESC, file",
  calls: "modelCalls DESC, file",
  repairs: "repairs DESC, file",
  task: "taskId, startedAt, file",
} as const;
export type Sort = keyof typeof SORTS;

/** A run as lists show it. Tokens are all that went in and came out; `usd` is null where it is not known. */
export type RunRow = {
  runId: string;
  taskId: string;
  team: string;
  teamVersion: string;
  tier: string;
  models: string[];
  outcome: Outcome | "unfinished";
  passed: boolean;
  signature: string | null;
  startedAt: string | null;
  endedAt: string | null;
  modelCalls: number;
  toolCalls: number;
  input: number;
  output: number;
  usd: number | null;
  repairs: number;
  diedProgram: string | null;
  diedStep: string | null;
};

const COLUMNS = `runId, taskId, team, teamVersion, tier, models, outcome, passed, signature, startedAt, endedAt,
  modelCalls, toolCalls, input, output, usd, repairs, diedProgram, diedStep`;

export type IndexOptions = {
  /** Told how many of how many logs have been read, where there are some to read. */
  onProgress?(done: number, total: number): void;
  /** Told why the index cannot be kept, and is made for this once. */
  onUnkept?(problem: string): void;
};

/**
 * Asks the index of a folder, brought up to what the folder holds now, which takes as long as that is much. It is
 * embedded, and made of the logs alone: one that is deleted, damaged or of another version is made again, and where none can be
 * kept it is made in memory. Several processes may use one at once.
 */
export async function askIndex<T>(
  folder: string,
  ask: (index: RunIndex) => T,
  { onProgress, onUnkept }: IndexOptions = {},
): Promise<T> {
  const { DatabaseSync } = await loadSqlite();
  const file = join(folder, INDEX_FILE);
  const once = (): T => {
    const { database, unkept } = openDatabase(file, DatabaseSync);
    try {
      if (unkept !== null) onUnkept?.(unkept);
      refresh(database, folder, onProgress);
      return ask(new RunIndex(database));
    } finally {
      database.close();
    }
  };
  try {
    return once();
  } catch (error) {
    if (!isUseless(error)) throw error;
    removeIndex(file);
    return once();
  }
}

/** What can be asked of an index. */
export class RunIndex {
  readonly #database: DatabaseSync;

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  list(filter: RunFilter = {}, { sort = "started", limit = -1 }: { sort?: Sort; limit?: number } = {}): RunRow[] {
    const { sql, values } = whereOf(filter, this.#database);
    const query = `SELECT ${COLUMNS} FROM runs WHERE ${sql} ORDER BY ${SORTS[sort]} LIMIT ?`;
    const rows = this.#database.prepare(query).all(...values, limit) as (Omit<RunRow, "models" | "passed"> & {
      models: string;
      passed: number;
    })[];
    return rows.map((row) => ({ ...row, models: row.models.split(" ").filter(Boolean), passed: row.passed === 1 }));
  }

  /** How many runs there are that fit. */
  count(filter: RunFilter = {}): number {
    const { sql, values } = whereOf(filter, this.#database);
    return this.#database.prepare(`SELECT count(*) AS runs FROM runs WHERE ${sql}`).get(...values)!["runs"] as number;
  }

  stats(filter: RunFilter = {}, { limit = -1 }: { limit?: number } = {}): Stats {
    return statsOf(this.#database, whereOf(filter, this.#database), limit);
  }

  /** Logs that could not be read, by the name of their file. */
  problems(): { log: string; problem: string }[] {
    const rows = this.#database
      .prepare("SELECT file AS log, problem FROM runs WHERE problem IS NOT NULL ORDER BY file")
      .all();
    return rows.map(({ log, problem }) => ({ log: String(log), problem: String(problem) }));
  }
}

type Opened = { database: DatabaseSync; unkept: string | null };
type Database = typeof import("node:sqlite").DatabaseSync;

function openDatabase(file: string, Database: Database): Opened {
  try {
    return { database: openFile(file, Database), unkept: null };
  } catch (error) {
    return { database: withTables(new Database(":memory:")), unkept: messageOf(error) };
  }
}

function openFile(file: string, Database: Database): DatabaseSync {
  try {
    return withTables(new Database(file, { timeout: WAIT_MS }));
  } catch (error) {
    if (!isUseless(error)) throw error;
    removeIndex(file);
    return withTables(new Database(file, { timeout: WAIT_MS }));
  }
}

/** How long one process waits for another that writes. */
const WAIT_MS = 30_000;

function removeIndex(file: string): void {
  for (const path of [file, `${file}-journal`]) rmSync(path, { force: true });
}

class OtherVersion extends Error {}

/** Codes of SQLite: the file is damaged, or no database. */
const DAMAGED = [11, 26];

function isUseless(error: unknown): boolean {
  return error instanceof OtherVersion || DAMAGED.includes((error as { errcode?: number }).errcode ?? 0);
}

/** The database with its tables. What a crash loses of it is only made again, so nothing waits for the disk. */
function withTables(database: DatabaseSync): DatabaseSync {
  try {
    database.exec("PRAGMA synchronous = OFF");
    if (versionOf(database) !== VERSION) makeTables(database);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

function makeTables(database: DatabaseSync): void {
  database.exec("BEGIN IMMEDIATE"); // of several processes one makes them
  if (versionOf(database) !== VERSION) {
    if (database.prepare("SELECT 1 FROM sqlite_schema").get()) throw new OtherVersion();
    database.exec(`${TABLES}; PRAGMA user_version = ${VERSION}`);
  }
  database.exec("COMMIT");
}

function versionOf(database: DatabaseSync): unknown {
  return database.prepare("PRAGMA user_version").get()?.["user_version"];
}
