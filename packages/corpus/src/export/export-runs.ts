import { createHash } from "node:crypto";
import {
  type Blobs,
  canonicalJson,
  type JsonObject,
  messageOf,
  type Redact,
  type Snapshots,
  type Trajectory,
} from "@swarm/core";
import { z } from "zod";
import type { Format } from "../formats/format.ts";
import { factsOf } from "../run/facts.ts";
import { type RunFilter, refusedBy } from "../run/filter.ts";
import { readRun } from "../run/read-run.ts";
import { runRecord } from "../run/record.ts";
import { CardCounts, type DataCard } from "./card.ts";

/** A log, and the store of what it names. Nothing else is read. */
export type RunSource = { log: string; blobs: Blobs; snapshots: Snapshots };

export type ExportOptions = {
  format: Format;
  filter?: RunFilter;
  /** Takes secrets out once more, though the logs should have none: those of today need not be those of then. */
  redact: Redact;
  /** Whether rows of equal content are given each time. Default false. */
  keepDuplicates?: boolean;
  /** Told of each log that could not be exported: it is skipped as a whole. */
  onProblem?(log: string, problem: string): void;
};

/**
 * The rows of runs as JSON lines, one run at a time: what is in memory does not grow with their number, but for a short hash
 * of each row, by which equal ones are known. Ask for the card when it has ended.
 */
export class Export implements AsyncIterable<string> {
  readonly #sources: Iterable<RunSource> | AsyncIterable<RunSource>;
  readonly #options: ExportOptions;
  readonly #filter: RunFilter;
  readonly #counts: CardCounts;
  readonly #seen = new Set<string>();

  constructor(sources: Iterable<RunSource> | AsyncIterable<RunSource>, options: ExportOptions) {
    const { format, filter = {} } = options;
    const outcomes = filter.outcomes ?? format.outcomes;
    this.#sources = sources;
    this.#options = options;
    this.#filter = outcomes ? { ...filter, outcomes } : filter;
    this.#counts = new CardCounts(format.name, this.#filter as JsonObject);
  }

  get card(): DataCard {
    return this.#counts.card;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<string> {
    for await (const source of this.#sources) {
      this.#counts.log();
      try {
        yield* await this.#rowsOf(source);
      } catch (error) {
        const problem = messageOf(error);
        this.#counts.problem(source.log, problem);
        this.#options.onProblem?.(source.log, problem);
      }
    }
  }

  /** All rows of a run, or none: a log whose last row cannot be made gives no first one. */
  async #rowsOf({ log, blobs, snapshots }: RunSource): Promise<string[]> {
    const { format, redact } = this.#options;
    const run = await readRun(log, snapshots, redact);
    const facts = factsOf(run);
    const refused = refusedBy(this.#filter, facts) ?? (this.#takesUnfinished(run) ? null : "unfinished");
    if (refused !== null) {
      this.#counts.filtered(refused);
      return [];
    }
    const leftOut: string[] = [];
    const made: { text: string; content: string }[] = [];
    for await (const { row, content } of format.rows(runRecord(run, blobs, redact), (why) => leftOut.push(why))) {
      made.push({ text: `${JSON.stringify(checked(format, row))}\n`, content: digest(canonicalJson(content)) });
    }
    const licence = await licenceOf(run, blobs);
    const fresh = made.filter(({ content }) => this.#isNew(content));
    for (const why of leftOut) this.#counts.leftOut(why);
    for (const { text } of fresh) this.#counts.row(Buffer.byteLength(text));
    this.#counts.run(facts, licence, made.length);
    return fresh.map(({ text }) => text);
  }

  #takesUnfinished({ events }: Trajectory): boolean {
    return this.#filter.outcomes !== undefined || events.some(({ payload }) => payload.type === "verdict");
  }

  #isNew(content: string): boolean {
    if (this.#options.keepDuplicates) return true;
    if (this.#seen.has(content)) {
      this.#counts.duplicate();
      return false;
    }
    this.#seen.add(content);
    return true;
  }
}

function checked(format: Format, row: JsonObject): JsonObject {
  const { data, error } = format.schema.safeParse(row);
  if (data) return data;
  throw new Error(`a row breaks the rules of ${format.name}: ${z.prettifyError(error)}`);
}

function digest(text: string): string {
  return createHash("sha256").update(text).digest().toString("latin1", 0, 16);
}

const TaskSchema = z.object({ licence: z.string().optional() });

/** The licence that the run's task tells; null where it tells none, or is not in the store any more. */
async function licenceOf({ header }: Trajectory, blobs: Blobs): Promise<string | null> {
  if (!(await blobs.has(header.taskSha256))) return null;
  const task: unknown = JSON.parse(Buffer.from(await blobs.get(header.taskSha256)).toString());
  return TaskSchema.parse(task).licence ?? null;
}
