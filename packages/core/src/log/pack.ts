import { gunzipSync, gzipSync } from "node:zlib";
import { z } from "zod";
import { checkInput } from "../check-input.ts";
import type { BlobId } from "../contracts/files.ts";
import type { Schema } from "../contracts/json.ts";
import type { Blobs } from "../contracts/sandbox.ts";
import { InvalidInputError, LogError, messageOf } from "../errors.ts";
import { sha256 } from "../json-value.ts";
import { createRedactor, redactJson } from "../redact.ts";
import { writeLine } from "./log-line.ts";
import type { LogContent } from "./log-store.ts";
import { parseLog } from "./parse-log.ts";

/** A log with every file and prompt that it names: all that a replay needs, on any machine. */
export type Pack = LogContent & {
  blobs: ReadonlyMap<BlobId, Uint8Array>;
  /** How many of the blobs held something like a secret, which was taken out. A replay goes by what is left. */
  redacted: number;
};

/** The version of a pack's form. Readers refuse another one. */
const PACK_VERSION = 1;

/** The first line of a pack, then its blobs; what follows is the log, line by line as it is written. */
type PackLine = { pack: typeof PACK_VERSION; redacted: number };
type BlobLine = { blob: BlobId; base64: string };

const PackLineSchema: Schema<PackLine> = z.strictObject({
  pack: z.literal(PACK_VERSION),
  redacted: z.int().nonnegative(),
});
const BlobLineSchema: Schema<BlobLine> = z.strictObject({ blob: z.string(), base64: z.base64() });

/** A pack that is larger than this when it is opened is refused. */
const MOST_BYTES = 512 * 1024 * 1024;

/**
 * One file of a log and all that it names in `blobs`: JSON lines under gzip. `secrets` and what is shaped like a key are taken
 * out of the log once more, since those of today need not be those of then, and of the files, which then have other ids. What
 * `blobs` lacks is left out, but for the task and the files that the run began with: without them it rejects with a
 * {@link NotFoundError}.
 */
export async function writePack(
  { header, events }: LogContent,
  blobs: Blobs,
  { secrets = [] }: { secrets?: readonly string[] } = {},
): Promise<Uint8Array> {
  const redact = createRedactor(secrets);
  const log = [header, ...events].map(({ crc32: _, ...line }) => JSON.stringify(redactJson(line, redact)));
  for (const id of [header.taskSha256, header.base]) await blobs.get(id);
  const named = await namedBy(log.join("\n"), blobs);
  const { ids, redacted, content } = withoutSecrets(named, secrets);
  const lines = [
    JSON.stringify({ pack: PACK_VERSION, redacted } satisfies PackLine),
    ...[...content].map(([blob, data]) =>
      JSON.stringify({ blob, base64: Buffer.from(data).toString("base64") } satisfies BlobLine),
    ),
    ...log.map((line) => writeLine(JSON.parse(renamed(line, ids)))),
  ];
  return gzipSync(lines.map((line) => `${line}\n`).join(""));
}

/**
 * What {@link writePack} wrote. Throws a {@link LogError} that names the line where a blob is not what its name says or the log
 * is damaged (`LOG_DAMAGED`), and `LOG_SCHEMA` for one of a newer version.
 */
export function readPack(file: Uint8Array): Pack {
  const text = unzipped(file);
  const lines = text.split("\n");
  const { redacted } = parsePackLine(lines[0] ?? "");
  const blobs = new Map<BlobId, Uint8Array>();
  let next = 1;
  for (; lines[next]?.startsWith('{"blob":'); next++) {
    const { blob, base64 } = parseLine(BlobLineSchema, lines[next]!, next);
    const data = Buffer.from(base64, "base64");
    if (sha256(data) !== blob) throw damaged(next, `blob ${blob} holds other bytes`);
    blobs.set(blob, data);
  }
  const { header, events } = readLog(lines, next);
  return { header, events, blobs, redacted };
}

/** Whether a file could be a pack: it is compressed. */
export function isPack(file: Uint8Array): boolean {
  return file[0] === 0x1f && file[1] === 0x8b;
}

/** Puts the blobs of a pack where a sandbox finds them. */
export async function unpackInto(blobs: Blobs, pack: Pack): Promise<void> {
  for (const [id, data] of pack.blobs) {
    const put = await blobs.put(data);
    if (put !== id)
      throw new InvalidInputError("sandbox", `its blobs have other names than their sha-256: ${put}, not ${id}`);
  }
}

/** Every blob that a text names, and every one that those name, such as the files of a snapshot: what is named comes first. */
async function namedBy(text: string, blobs: Blobs): Promise<Map<BlobId, Buffer>> {
  const found = new Map<BlobId, Buffer>();
  const looked = new Set<BlobId>();
  async function visit(text: string): Promise<void> {
    for (const [id] of text.matchAll(/\b[0-9a-f]{64}\b/g)) {
      if (looked.has(id)) continue;
      looked.add(id);
      if (!(await blobs.has(id))) continue; // a hash of something else
      const data = Buffer.from(await blobs.get(id));
      await visit(data.toString("latin1"));
      found.set(id, data);
    }
  }
  await visit(text);
  return found;
}

/** The blobs without secrets, under the names that they have then; `ids` has the new names of those whose name changed. */
function withoutSecrets(named: ReadonlyMap<BlobId, Buffer>, secrets: readonly string[]) {
  const redact = createRedactor(secrets.map((secret) => Buffer.from(secret).toString("latin1")));
  const ids = new Map<BlobId, BlobId>();
  const content = new Map<BlobId, Buffer>();
  let redacted = 0;
  for (const [id, data] of named) {
    const text = data.toString("latin1"); // byte by byte: a file need not be text
    const clean = redact(text).replace(/(?<="base64":")[A-Za-z0-9+/]+=*(?=")/g, (encoded) => {
      const held = Buffer.from(encoded, "base64").toString("latin1"); // a file of a task that is no text, or executable
      const kept = redact(held);
      return kept === held ? encoded : Buffer.from(kept, "latin1").toString("base64");
    });
    if (clean !== text) redacted++;
    const bytes = Buffer.from(renamed(clean, ids), "latin1");
    const name = sha256(bytes);
    if (name !== id) ids.set(id, name);
    content.set(name, bytes);
  }
  return { ids, redacted, content };
}

function renamed(text: string, ids: ReadonlyMap<BlobId, BlobId>): string {
  return ids.size === 0 ? text : text.replace(/\b[0-9a-f]{64}\b/g, (id) => ids.get(id) ?? id);
}

function unzipped(file: Uint8Array): string {
  try {
    return gunzipSync(file, { maxOutputLength: MOST_BYTES }).toString();
  } catch (error) {
    throw new LogError("LOG_DAMAGED", `the pack cannot be opened: ${messageOf(error)}`, null, { cause: error });
  }
}

function parsePackLine(line: string): PackLine {
  const version = /^\{"pack":(\d+)/.exec(line)?.[1];
  if (version !== undefined && Number(version) > PACK_VERSION) {
    const problem = `the pack has version ${version}, this version reads ${PACK_VERSION}: update @swarm/core`;
    throw new LogError("LOG_SCHEMA", problem, { line: 1, offset: null });
  }
  return parseLine(PackLineSchema, line, 0);
}

function parseLine<T>(schema: Schema<T>, line: string, index: number): T {
  try {
    return checkInput(schema, JSON.parse(line), { root: "line" });
  } catch (error) {
    throw damaged(index, messageOf(error));
  }
}

/** The log behind the blobs. Unlike that of a run, it was written at once: it has no torn end. */
function readLog(lines: readonly string[], from: number): LogContent {
  const data = Buffer.from(lines.slice(from).join("\n"));
  try {
    const { header, events, torn } = parseLog(data);
    if (!torn) return { header, events };
  } catch (error) {
    if (!(error instanceof LogError) || error.code === "LOG_SCHEMA") throw error;
    throw damaged(from + (error.line ?? 1) - 1, error.message);
  }
  throw damaged(lines.length - 2, "the log's last line is torn");
}

function damaged(index: number, problem: string): LogError {
  const line = index + 1;
  return new LogError("LOG_DAMAGED", `line ${line} of the pack is damaged: ${problem}`, { line, offset: null });
}
