import { checkInput, OUTCOMES, type Outcome, type Schema } from "@swarm/core";
import { z } from "zod";

/** What one run did, as long-term memory keeps it. */
export type RunRecord = {
  runId: string;
  /** What was asked for, in the user's words. */
  task: string;
  outcome: Outcome;
  /** Titles of the plan's steps. */
  plan: string[];
  /** Paths of the files that it changed. */
  files: string[];
  /** Names of the functions, methods and classes that it wrote, by path. */
  functions: Record<string, string[]>;
  summary: string;
};

export const RunRecordSchema: Schema<RunRecord> = z.strictObject({
  runId: z.string().min(1),
  task: z.string(),
  outcome: z.enum(OUTCOMES),
  plan: z.array(z.string()),
  files: z.array(z.string()),
  functions: z.record(z.string(), z.array(z.string())),
  summary: z.string(),
});

/** The record as it is. Throws an `InvalidInputError` that names the field at fault. */
export function checkRecord(record: RunRecord): RunRecord {
  return checkInput(RunRecordSchema, record, { root: "record" });
}

/** A record in words: what a memory is searched by, and what a role is told. */
export function recordText({ task, outcome, plan, files, functions, summary }: RunRecord): string {
  const defined = Object.entries(functions).map(([path, names]) => `${path}: ${names.join(", ")}`);
  const lines: [string, string][] = [
    ["Task", task],
    ["Outcome", outcome],
    ["Plan", plan.join("; ")],
    ["Files", files.join(", ")],
    ["Functions", defined.join("; ")],
    ["Summary", summary],
  ];
  return lines.flatMap(([name, text]) => (text === "" ? [] : [`${name}: ${text}`])).join("\n");
}
