import type { DatabaseSync } from "node:sqlite";
import { matchesGlob } from "@swarm/core";
import type { RunFilter } from "../run/filter.ts";

export type Where = { sql: string; values: string[] };

/** A filter as the condition of a query over `runs`. Globs are tried on the few names that there are, not on each run. */
export function whereOf({ outcomes, signature, team, model, task }: RunFilter, database: DatabaseSync): Where {
  const parts: Where[] = [{ sql: "problem IS NULL", values: [] }];
  const named = (table: string, column: string, glob: string) => {
    const rows = database.prepare(`SELECT DISTINCT ${column} AS name FROM ${table}`).all() as { name: string | null }[];
    return JSON.stringify(rows.flatMap(({ name }) => (name !== null && matchesGlob(name, glob) ? [name] : [])));
  };
  if (outcomes) {
    parts.push({ sql: "outcome IN (SELECT value FROM json_each(?))", values: [JSON.stringify(outcomes)] });
  }
  if (signature !== undefined) parts.push({ sql: "instr(signature, ?) > 0", values: [signature] });
  if (team !== undefined) parts.push({ sql: "(team = ? OR team || '@' || teamVersion = ?)", values: [team, team] });
  if (model !== undefined) {
    const sql = "id IN (SELECT run FROM models WHERE model IN (SELECT value FROM json_each(?)))";
    parts.push({ sql, values: [named("models", "model", model)] });
  }
  if (task !== undefined) {
    parts.push({ sql: "taskId IN (SELECT value FROM json_each(?))", values: [named("runs", "taskId", task)] });
  }
  return { sql: parts.map(({ sql }) => sql).join(" AND "), values: parts.flatMap(({ values }) => values) };
}
