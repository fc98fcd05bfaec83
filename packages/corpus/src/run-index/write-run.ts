import type { DatabaseSync, StatementSync } from "node:sqlite";
import { faultClassOf } from "@swarm/core";
import type { RunFacts } from "../run/facts.ts";

/** A log by its file, and what stands in it or is wrong with it. */
export type Entry = { file: string; size: number; modified: number } & ({ facts: RunFacts } | { problem: string });

const RUN = `INSERT INTO runs (file, size, modified, problem, runId, taskId, team, teamVersion, tier, models, outcome, passed,
  signature, startedAt, endedAt, modelCalls, toolCalls, input, output, usd, repairs, diedProgram, diedStep)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id`;

/** Puts entries in place of what the index had of their files, all of them or none. */
export class RunWriter {
  readonly #database: DatabaseSync;
  readonly #statements: Record<"remove" | "run" | "model" | "role" | "failure", StatementSync>;

  constructor(database: DatabaseSync) {
    this.#database = database;
    this.#statements = {
      remove: database.prepare("DELETE FROM runs WHERE file = ?"),
      run: database.prepare(RUN),
      model: database.prepare("INSERT INTO models VALUES (?, ?)"),
      role: database.prepare("INSERT INTO roles VALUES (?, ?, ?, ?, ?, ?)"),
      failure: database.prepare("INSERT INTO failures VALUES (?, ?, ?, ?, ?)"),
    };
  }

  write(entries: readonly Entry[], gone: readonly string[] = []): void {
    this.#database.exec("BEGIN IMMEDIATE");
    try {
      for (const file of gone) this.#statements.remove.run(file);
      for (const entry of entries) this.#replace(entry);
      this.#database.exec("COMMIT");
    } catch (error) {
      if (this.#database.isTransaction) this.#database.exec("ROLLBACK");
      throw error;
    }
  }

  #replace(entry: Entry): void {
    const { remove, run, model, role, failure } = this.#statements;
    const { file, size, modified } = entry;
    remove.run(file);
    if ("problem" in entry) {
      run.get(file, size, modified, entry.problem, ...Array.from({ length: 19 }, () => null));
      return;
    }
    const { facts } = entry;
    const { usage, diedIn } = facts;
    const { id } = run.get(
      ...[file, size, modified, null, facts.runId, facts.taskId, facts.team, facts.teamVersion, facts.tier],
      ...[facts.models.join(" "), facts.outcome, facts.passed ? 1 : 0, facts.signature, facts.startedAt, facts.endedAt],
      ...[usage.modelCalls, usage.toolCalls, usage.input + usage.cacheRead + usage.cacheWrite, usage.output, usage.usd],
      ...[facts.repairs, diedIn?.program ?? null, diedIn?.stepId ?? null],
    ) as { id: number };
    for (const name of facts.models) model.run(id, name);
    for (const [name, { calls, tokens, usd }] of Object.entries(facts.byRole)) {
      role.run(id, name, calls, tokens.input + tokens.cacheRead + tokens.cacheWrite, tokens.output, usd);
    }
    const groups = Map.groupBy(facts.failures, ({ signature, program }) => JSON.stringify([signature, program]));
    for (const [first, ...more] of groups.values()) {
      const { signature, program } = first!;
      failure.run(id, signature, faultClassOf(signature), program, 1 + more.length);
    }
  }
}
