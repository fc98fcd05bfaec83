import type { Json, JsonObject, Outcome, Schema } from "@swarm/core";
import type { RunRecord } from "../run/record.ts";

/** A row, and what of it makes another row the same: no ids of runs, times or costs. */
export type MadeRow = { row: JsonObject; content: Json };

/** A view of finished runs. */
export interface Format {
  readonly name: string;
  /** What a row is, in a few words. */
  readonly summary: string;
  /** The rules of a row. */
  readonly schema: Schema<JsonObject>;
  /** Outcomes of the runs that make rows unless others are asked for; null for all. */
  readonly outcomes: readonly Outcome[] | null;
  /** The rows of one run. `leaveOut` is told of a row that could not be made, and why: once for each. */
  rows(record: RunRecord, leaveOut: (why: string) => void): AsyncIterable<MadeRow>;
}

/** A format whose rows are of one type. */
export function defineFormat<Row>(
  format: Omit<Format, "schema" | "rows"> & {
    schema: Schema<Row>;
    rows(record: RunRecord, leaveOut: (why: string) => void): AsyncIterable<{ row: Row; content: Json }>;
  },
): Format & { schema: Schema<Row> } {
  return format as unknown as Format & { schema: Schema<Row> };
}
