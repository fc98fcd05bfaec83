import { dirname } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { makeFolder } from "@swarm/core";
import { MemoryError } from "../memory-error.ts";
import { loadSqlite } from "./load-sqlite.ts";

export const IN_MEMORY = ":memory:";

/** `swrm`: tells our files from those of other programs. */
const APPLICATION = 0x7377726d;
/** Grows when the tables change. */
const VERSION = 1;
/** SQLite waits that long by itself and blocks the process meanwhile; longer waits are the caller's. */
const BLOCKING_MS = 20;

const TABLES = `
  CREATE TABLE runs (id INTEGER PRIMARY KEY, run_id TEXT NOT NULL UNIQUE, record TEXT NOT NULL, vector BLOB) STRICT;
  CREATE VIRTUAL TABLE words USING fts5(text, tokenize = 'porter unicode61');
  PRAGMA application_id = ${APPLICATION};
  PRAGMA user_version = ${VERSION};
`;

/** Opens a memory's file, and makes it first where it is not there. A file of another kind or version is refused untouched. */
export function openDatabase(file: string): DatabaseSync {
  if (file !== IN_MEMORY) makeFolder(dirname(file));
  const { DatabaseSync } = loadSqlite();
  const database = new DatabaseSync(file, { timeout: BLOCKING_MS });
  try {
    if (isEmpty(database)) transaction(database, () => isEmpty(database) && database.exec(TABLES));
    refuseForeign(database, file);
    // readers and a writer do not wait for each other; what a crash of the machine may lose is the last runs, never the file
    if (pragma(database, "journal_mode") === "delete") database.exec("PRAGMA journal_mode = WAL");
    database.exec("PRAGMA synchronous = NORMAL");
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Runs `work` alone among all processes, whole or not at all. */
export function transaction<T>(database: DatabaseSync, work: () => T): T {
  database.exec("BEGIN IMMEDIATE");
  try {
    const value = work();
    database.exec("COMMIT");
    return value;
  } catch (error) {
    if (database.isTransaction) database.exec("ROLLBACK");
    throw error;
  }
}

function isEmpty(database: DatabaseSync): boolean {
  return pragma(database, "application_id") === 0 && pragma(database, "schema_version") === 0;
}

function refuseForeign(database: DatabaseSync, file: string): void {
  if (pragma(database, "application_id") !== APPLICATION) {
    throw new MemoryError("MEMORY_FOREIGN", `${file} is a database of something else: name another file`);
  }
  const version = Number(pragma(database, "user_version"));
  if (version > VERSION) {
    const message = `the memory ${file} was written by a newer version (${version}; this one reads ${VERSION}): update Swarm, or name another file`;
    throw new MemoryError("MEMORY_SCHEMA", message);
  }
}

function pragma(database: DatabaseSync, name: string): unknown {
  return Object.values(database.prepare(`PRAGMA ${name}`).get() ?? {})[0];
}
