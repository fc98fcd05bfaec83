import {
  closeSync,
  createReadStream,
  existsSync,
  ftruncateSync,
  openSync,
  renameSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { basename, join, resolve } from "node:path";
import { z } from "zod";
import { checkInput } from "../check-input.ts";
import { type Json, type JsonObject, JsonObjectSchema, type Schema } from "../contracts/json.ts";
import { InvalidInputError, LogError, messageOf } from "../errors.ts";
import { differencesBetween } from "../json-differences.ts";
import { canonicalJson } from "../json-value.ts";
import { linesOf } from "../lines.ts";
import { takeLock } from "../log/lock-file.ts";
import { makeFolder } from "../make-folder.ts";
import { type BatchRow, BatchRowSchema } from "./row.ts";

/** The first line of a batch's journal: what it is. Each line after it is a {@link BatchRow}. */
export type BatchHeader = { schema: 1; batchId: string; plan: JsonObject; startedAt: string };

const BatchHeaderSchema: Schema<BatchHeader> = z.strictObject({
  schema: z.literal(1),
  batchId: z.string(),
  plan: JsonObjectSchema,
  startedAt: z.string(),
});

/** It begins the ids of the batch's runs, up to the first dot, and so has to leave room in them. */
const BatchIdSchema: Schema<string> = z
  .string()
  .regex(/^[A-Za-z0-9][\w-]{0,59}$/, "the folder's name is the batch's id: 1 to 60 letters, digits, '_' or '-'");

export type BatchJournal = { header: BatchHeader; append(row: BatchRow): void; close(): void };

export type JournalOptions = {
  plan: JsonObject;
  resume: boolean;
  startedAt: string;
  /** Told of each row that is there already. The last one of a run stands. */
  onRow(row: BatchRow): void;
};

/** Path of the journal in a batch's folder. */
export function batchJournalOf(folder: string): string {
  return join(folder, "batch.jsonl");
}

/**
 * Makes the journal of a new batch, or opens that of one that goes on; a torn last line is cut off. Rejects for a folder that
 * has a batch already unless it is resumed, and that has none when it is; for another plan; with `LOG_BUSY` while another
 * process is at it, and with `LOG_DAMAGED` and the line for one that cannot be read.
 */
export async function openJournal(folder: string, options: JournalOptions): Promise<BatchJournal> {
  const file = batchJournalOf(resolve(folder));
  const { plan, resume, startedAt } = options;
  const batchId = checkInput(BatchIdSchema, basename(resolve(folder)), { root: "folder" });
  if (resume !== existsSync(file)) throw wrongFolder(folder, resume);
  makeFolder(folder);
  const lock = takeLock(`${file}.lock`, ({ pid }) => {
    return new LogError("LOG_BUSY", `process ${pid} is at this batch (${file}.lock)`);
  });
  try {
    if (!resume) writeHeader(file, { schema: 1, batchId, plan, startedAt });
    const { header, end } = await readJournal(file, options.onRow);
    if (canonicalJson(header.plan) !== canonicalJson(plan)) throw otherPlan(header.plan, plan);
    const descriptor = openSync(file, "r+");
    ftruncateSync(descriptor, end);
    return { header, ...writerAt(file, descriptor, end, () => lock.release()) };
  } catch (error) {
    lock.release();
    throw error;
  }
}

/** What a journal holds, without opening it for writing. `end` is where the part that counts ends, in bytes. */
export async function readJournal(
  file: string,
  onRow: (row: BatchRow) => void,
): Promise<{ header: BatchHeader; end: number }> {
  let header: BatchHeader | null = null;
  let end = 0;
  let number = 0;
  for await (const line of linesOf(createReadStream(file))) {
    number += 1;
    if (!line.whole) break; // torn
    try {
      if (header === null) header = BatchHeaderSchema.parse(JSON.parse(line.text));
      else onRow(BatchRowSchema.parse(JSON.parse(line.text)));
    } catch (error) {
      throw new LogError("LOG_DAMAGED", `line ${number} of ${file} is damaged: ${messageOf(error)}`, {
        line: number,
        offset: end,
      });
    }
    end = line.end;
  }
  if (header === null) throw new LogError("LOG_DAMAGED", `${file} has no header`, { line: 1, offset: 0 });
  return { header, end };
}

/** All of it or no file. */
function writeHeader(file: string, header: BatchHeader): void {
  writeFileSync(`${file}.new`, `${JSON.stringify(header)}\n`);
  renameSync(`${file}.new`, file);
}

function writerAt(file: string, descriptor: number, start: number, release: () => void): Omit<BatchJournal, "header"> {
  let end = start;
  return {
    append(row) {
      const line = Buffer.from(`${JSON.stringify(row)}\n`);
      try {
        for (let written = 0; written < line.length; ) {
          written += writeSync(descriptor, line, written, line.length - written, end + written);
        }
      } catch (cause) {
        throw new LogError("LOG_WRITE_FAILED", `${file} could not be written: ${messageOf(cause)}`, null, { cause });
      }
      end += line.length;
    },
    close() {
      try {
        closeSync(descriptor);
      } finally {
        release();
      }
    },
  };
}

function wrongFolder(folder: string, resume: boolean): InvalidInputError {
  if (resume) return new InvalidInputError("folder", `${folder} has no batch to go on with`, { code: "NOT_FOUND" });
  const way = "go on with it by resume, or name another folder";
  return new InvalidInputError("folder", `${folder} has a batch already: ${way}`, { code: "BATCH_EXISTS" });
}

function otherPlan(then: JsonObject, now: JsonObject): InvalidInputError {
  const changes = differencesBetween(then, now).map(
    ({ path, before, after }) =>
      `${path || "all of it"} was ${toldOf(before)} when the batch was begun, and is ${toldOf(after)}`,
  );
  return new InvalidInputError("plan", changes.join("; "), { code: "PLAN_MISMATCH" });
}

function toldOf(value: Json | undefined): string {
  return value === undefined ? "not there" : canonicalJson(value);
}
