import { z } from "zod";

const nullableText = z.string().nullable();
const finding = {
  message: nullableText,
  errorType: nullableText,
  location: nullableText,
  frames: z.array(z.string()).default([]),
};

const RecordSchema = z.discriminatedUnion("kind", [
  /** The first record: the runner is loaded, and no test file is. */
  z.strictObject({ kind: z.literal("ready"), interpreter: z.string().nullable().default(null) }),
  /** The ids that the runner is about to run, where it knows them before. */
  z.strictObject({ kind: z.literal("collected"), ids: z.array(z.string()) }),
  z.strictObject({ kind: z.literal("start"), id: z.string() }),
  z.strictObject({
    kind: z.literal("test"),
    id: z.string(),
    file: z.string(),
    status: z.enum(["passed", "failed", "skipped", "error", "xfailed", "xpassed"]),
    ...finding,
    ms: z.number(),
    /** What the test printed. */
    output: z.string().default(""),
  }),
  /** A file or suite that failed outside of its tests, so that some of them may never have been seen. */
  z.strictObject({
    kind: z.literal("broken"),
    code: z.enum(["COLLECTION_FAILED", "ERROR_OUTSIDE_TESTS", "BUILD_FAILED"]),
    id: z.string(),
    file: z.string(),
    ...finding,
  }),
  /** The runner itself failed or was told to stop. */
  z.strictObject({ kind: z.literal("crash"), ...finding }),
  /** The runner is not installed, or is too old. */
  z.strictObject({ kind: z.literal("unavailable"), message: z.string() }),
  /** The workspace has a module of this name, which a warm runner has loaded already: it leaves the run to a cold one. */
  z.strictObject({ kind: z.literal("shadowed"), name: z.string() }),
  /** The last record: the session finished and found the tests good or not. `exit` is the exit code that is to follow. */
  z.strictObject({
    kind: z.literal("end"),
    exit: z.int(),
    ok: z.boolean(),
    version: nullableText,
    ms: z.number(),
  }),
  /** A part of what a program wrote that reports by writing. */
  z.strictObject({ kind: z.literal("written"), to: z.enum(["output", "error", "report"]), text: z.string() }),
  /** How such a program ended. */
  z.strictObject({
    kind: z.literal("exited"),
    code: z.int().nullable(),
    signal: nullableText,
    version: nullableText,
    ms: z.number(),
  }),
]);

/** One line of the channel: what a bootstrap tells of its runner. */
export type RunnerRecord = z.infer<typeof RecordSchema>;
export type RecordOf<K extends RunnerRecord["kind"]> = Extract<RunnerRecord, { kind: K }>;

export type ChannelRecords = { records: RunnerRecord[]; foreign: number };

/**
 * The records of one run. `foreign` counts the lines that the bootstrap cannot have written: without the run's nonce, of
 * another form, or after the last record. A last line that was cut off is left out.
 */
export function readRecords(channel: string, nonce: string): ChannelRecords {
  const records: RunnerRecord[] = [];
  let foreign = 0;
  for (const line of channel.split("\n").slice(0, -1)) {
    const record = parse(line, nonce);
    const last = records.at(-1)?.kind;
    if (record && last !== "end" && last !== "exited") records.push(record);
    else foreign += 1;
  }
  return { records, foreign };
}

function parse(line: string, nonce: string): RunnerRecord | null {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return null;
  }
  if (typeof value !== "object" || value === null || !("nonce" in value) || value.nonce !== nonce) return null;
  const { nonce: _, ...record } = value;
  return RecordSchema.safeParse(record).data ?? null;
}
