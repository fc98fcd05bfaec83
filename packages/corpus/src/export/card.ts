import type { JsonObject } from "@swarm/core";
import type { RunFacts } from "../run/facts.ts";

/** What an export consists of, and what is not in it: counts, which grow with kinds and not with runs. */
export type DataCard = {
  format: string;
  filter: JsonObject;
  /** Logs that were read, runs that were taken, runs of those that gave at least one row. */
  logs: number;
  runs: number;
  runsWithRows: number;
  rows: number;
  bytes: number;
  duplicates: number;
  tokens: { input: number; output: number };
  usd: number | null;
  tasks: number;
  outcomes: Record<string, number>;
  teams: Record<string, number>;
  models: Record<string, number>;
  signatures: Record<string, number>;
  licences: Record<string, number>;
  /** Runs by the part of the filter that they did not fit, and rows by why they could not be made. */
  filtered: Record<string, number>;
  leftOut: Record<string, number>;
  /** Logs that could not be read or exported, the first of them with what is wrong. */
  problems: number;
  problemsNamed: { log: string; problem: string }[];
};

const MOST_NAMED = 20;

/** Counts while an export goes on. */
export class CardCounts {
  readonly #tasks = new Set<string>();
  readonly #card: DataCard;

  constructor(format: string, filter: JsonObject) {
    this.#card = {
      format,
      filter,
      ...{
        logs: 0,
        runs: 0,
        runsWithRows: 0,
        rows: 0,
        bytes: 0,
        duplicates: 0,
        tokens: { input: 0, output: 0 },
        usd: 0,
      },
      ...{ tasks: 0, outcomes: {}, teams: {}, models: {}, signatures: {}, licences: {}, filtered: {}, leftOut: {} },
      problems: 0,
      problemsNamed: [],
    };
  }

  get card(): DataCard {
    return { ...this.#card, tasks: this.#tasks.size };
  }

  log(): void {
    this.#card.logs++;
  }

  filtered(by: string): void {
    add(this.#card.filtered, by);
  }

  problem(log: string, problem: string): void {
    this.#card.problems++;
    if (this.#card.problemsNamed.length < MOST_NAMED) this.#card.problemsNamed.push({ log, problem });
  }

  leftOut(why: string): void {
    add(this.#card.leftOut, why);
  }

  duplicate(): void {
    this.#card.duplicates++;
  }

  row(bytes: number): void {
    this.#card.rows++;
    this.#card.bytes += bytes;
  }

  run(facts: RunFacts, licence: string | null, rows: number): void {
    const card = this.#card;
    card.runs++;
    if (rows > 0) card.runsWithRows++;
    this.#tasks.add(facts.taskId);
    add(card.outcomes, facts.outcome);
    add(card.teams, `${facts.team}@${facts.teamVersion}`);
    for (const model of facts.models) add(card.models, model);
    if (facts.signature !== null) add(card.signatures, facts.signature);
    add(card.licences, licence ?? "not told");
    const { input, output, cacheRead, cacheWrite, usd } = facts.usage;
    card.tokens.input += input + cacheRead + cacheWrite;
    card.tokens.output += output;
    card.usd = card.usd === null || usd === null ? null : card.usd + usd;
  }
}

function add(counts: Record<string, number>, name: string): void {
  counts[name] = (counts[name] ?? 0) + 1;
}
