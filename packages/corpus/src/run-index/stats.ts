import type { DatabaseSync } from "node:sqlite";
import type { Where } from "./where.ts";

/** Runs that the oracle judged, and of those the ones that passed: what machines and people broke off says nothing of the work. */
export type Rate = { name: string; runs: number; judged: number; passed: number };
/** How often it happened, in how many runs, and how many ended by it. */
export type Failure = { name: string; failures: number; runs: number; ended: number };
/** `usd` is the sum of what is known; `unpriced` is the number of runs of which it is not. */
export type Stats = {
  total: Rate & { modelCalls: number; toolCalls: number; input: number; output: number; usd: number; unpriced: number };
  outcomes: { name: string; runs: number }[];
  /** The kinds of failures, coarse and fine. */
  faultClasses: Failure[];
  signatures: Failure[];
  /** Where runs that did not pass ended. */
  deaths: { program: string; step: string; runs: number }[];
  roles: { name: string; runs: number; calls: number; input: number; output: number; usd: number; unpriced: number }[];
  tasks: Rate[];
  models: Rate[];
  teams: Rate[];
};

const COUNTS = `count(*) AS runs,
  coalesce(sum(outcome NOT IN ('unfinished', 'infra-error', 'aborted')), 0) AS judged, coalesce(sum(passed), 0) AS passed`;
const SPENT = `coalesce(sum(input), 0) AS input, coalesce(sum(output), 0) AS output,
  coalesce(sum(usd), 0) AS usd, coalesce(sum(usd IS NULL), 0) AS unpriced`;

/** Sums over the runs of an index that fit, with at most `limit` rows of each kind. */
export function statsOf(database: DatabaseSync, { sql, values }: Where, limit: number): Stats {
  const rows = <T>(query: string) =>
    (database.prepare(query).all(...values, limit) as Record<string, unknown>[]).map((row) => ({ ...row })) as T[];
  const rate = (name: string, from = `runs WHERE ${sql}`) =>
    rows<Rate>(`SELECT ${name} AS name, ${COUNTS} FROM ${from} GROUP BY 1 ORDER BY runs DESC, 1 LIMIT ?`);
  const chosen = `(SELECT id FROM runs WHERE ${sql})`;
  const failures = (name: string, ofRun: string) =>
    rows<Failure>(
      `SELECT f.${name} AS name, sum(f.times) AS failures, count(DISTINCT f.run) AS runs,
         count(DISTINCT CASE WHEN ${ofRun} = f.${name} THEN r.id END) AS ended
       FROM failures f JOIN runs r ON r.id = f.run WHERE f.run IN ${chosen} GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT ?`,
    );
  const [total] = rows<Stats["total"]>(
    `SELECT '' AS name, ${COUNTS}, coalesce(sum(modelCalls), 0) AS modelCalls, coalesce(sum(toolCalls), 0) AS toolCalls, ${SPENT}
     FROM runs WHERE ${sql} LIMIT ?`,
  );
  return {
    total: total!,
    outcomes: rows(
      `SELECT outcome AS name, count(*) AS runs FROM runs WHERE ${sql} GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT ?`,
    ),
    faultClasses: failures("faultClass", "substr(r.signature, 1, instr(r.signature, '|') - 1)"),
    signatures: failures("signature", "r.signature"),
    deaths: rows(
      `SELECT diedProgram AS program, diedStep AS step, count(*) AS runs FROM runs
       WHERE ${sql} AND diedProgram IS NOT NULL GROUP BY 1, 2 ORDER BY 3 DESC, 1, 2 LIMIT ?`,
    ),
    roles: rows(
      `SELECT role AS name, count(DISTINCT run) AS runs, sum(calls) AS calls, ${SPENT}
       FROM roles WHERE run IN ${chosen} GROUP BY 1 ORDER BY usd DESC, calls DESC, 1 LIMIT ?`,
    ),
    tasks: rate("taskId"),
    models: rate("m.model", `runs JOIN models m ON m.run = runs.id WHERE ${sql}`),
    teams: rate("team || '@' || teamVersion"),
  };
}
