import { readdirSync, realpathSync, renameSync, rmSync, statSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { type BlobId, InvalidInputError, logWriterOf, makeFolder, messageOf, NotFoundError } from "@swarm/core";
import { hasCode } from "../files/fs-error.ts";
import { blobFile, DISCARDED, directoryBlobs, discardedFile, FRESH_MS, isBlobId } from "./directory-blobs.ts";
import { inBatches } from "./in-batches.ts";
import type { TreeEntry } from "./tree.ts";
import { Trees } from "./trees.ts";

export type GarbageOptions = {
  /** Folder of the blobs. Default `runs/objects` below the working directory. */
  store?: string;
  /** Folders of all logs that may refer to the store. Default: the one that `store` is in. */
  logs?: readonly string[];
  /** Removes nothing and says what would be. Default false. */
  dryRun?: boolean;
};
/** How many blobs are kept and how many were removed, which freed so many bytes. */
export type Garbage = { kept: number; removed: number; bytes: number };

/** Time from a blob's being put to its being in a log, with much to spare. */
const GRACE_MS = 24 * FRESH_MS;

/**
 * Removes from a store what no log refers to: what a log names, in whatever way and also where the log is damaged, is kept
 * with all that is in it. So is what was put in the last day, or since the oldest run that is under way began; hence it may
 * run beside runs in any number of processes. Rejects with an {@link InvalidInputError} for `logs` where a folder cannot be
 * read, and with a {@link SandboxError} where a blob that a log names is damaged; then nothing was removed.
 */
export async function collectGarbage(options: GarbageOptions = {}): Promise<Garbage> {
  const store = resolve(options.store ?? join("runs", "objects"));
  const logs = (options.logs ?? [dirname(store)]).flatMap(filesIn);
  // Before the logs are read: a run that begins meanwhile puts what it needs afresh.
  const before = Math.min(Date.now(), ...logs.flatMap(runningSince)) - GRACE_MS;
  const referred = await referredBy(logs, new Trees(directoryBlobs(store)));
  const dryRun = options.dryRun ?? false;
  const garbage: Garbage = { kept: 0, removed: 0, bytes: 0 };
  const count = (size: number | null) => {
    if (size === null) garbage.kept += 1;
    else {
      garbage.removed += 1;
      garbage.bytes += size;
    }
  };
  const { blobs, cutOff } = filesOf(store);
  await inBatches(blobs, async (id) => count(referred.has(id) ? null : discard(store, id, before, dryRun)));
  for (const file of cutOff) removeCutOff(file, before, dryRun);
  return garbage;
}

/** Every file, whatever it is called: a log that was put aside under another name counts too, and one that a link leads to. */
function filesIn(folder: string): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
      const file = join(folder, entry.name);
      if (!entry.isSymbolicLink()) return entry.isFile() ? [file] : [];
      const real = realpathSync(file); // throws for a link that leads nowhere
      return statSync(real).isFile() ? [real] : [];
    });
  } catch (cause) {
    throw new InvalidInputError("logs", `${JSON.stringify(folder)} cannot be read (${messageOf(cause)})`, { cause });
  }
}

/** When the process that writes a log took it; nothing when none does. */
function runningSince(log: string): number[] {
  return logWriterOf(log) ? [statSync(`${log}.lock`, { throwIfNoEntry: false })?.mtimeMs ?? Date.now()] : [];
}

async function referredBy(logs: readonly string[], trees: Trees): Promise<ReadonlySet<BlobId>> {
  const referred = new Set<BlobId>();
  const opened = new Set<BlobId>();
  /** A blob and, where it is a folder, all that is in it. What is a file's content is not looked into. */
  const refer = async (id: BlobId): Promise<void> => {
    if (opened.has(id)) return;
    opened.add(id);
    referred.add(id);
    for (const entry of await entriesOf(trees, id)) {
      if (entry.kind === "file") referred.add(entry.sha256);
      if (entry.kind === "folder") await refer(entry.sha256);
    }
  };
  for (const log of logs) {
    for (const id of (await readFile(log, "latin1")).match(/[0-9a-f]{64}/g) ?? []) await refer(id);
  }
  return referred;
}

async function entriesOf(trees: Trees, id: BlobId): Promise<Iterable<TreeEntry>> {
  try {
    return (await trees.load(id)).values();
  } catch (error) {
    if (error instanceof NotFoundError || error instanceof InvalidInputError) return []; // no blob, or no folder
    throw error;
  }
}

/** All blobs of a store, those that a killed collector had set aside among them, and what writes left that were cut off. */
function filesOf(store: string): { blobs: BlobId[]; cutOff: string[] } {
  const blobs = new Set<BlobId>();
  const cutOff: string[] = [];
  for (const folder of namesIn(store)) {
    for (const name of namesIn(join(store, folder))) {
      const id = folder === DISCARDED ? name : folder + name;
      if (isBlobId(id)) blobs.add(id);
      else if (isBlobId(id.slice(0, 64)) && name.endsWith(".tmp")) cutOff.push(join(store, folder, name));
    }
  }
  return { blobs: [...blobs], cutOff };
}

function removeCutOff(file: string, before: number, dryRun: boolean): void {
  const stat = statSync(file, { throwIfNoEntry: false });
  if (stat && stat.mtimeMs < before && !dryRun) rmSync(file, { force: true });
}

/**
 * Removes a blob unless somebody needs it again, and gives its size; null when it stays. It is set aside first: who puts it
 * before that has given it a new time, which shows now, and who puts it after that does not find it and writes it anew.
 */
function discard(store: string, id: BlobId, before: number, dryRun: boolean): number | null {
  const [file, aside] = [blobFile(store, id), discardedFile(store, id)];
  const stat = statSync(file, { throwIfNoEntry: false }) ?? statSync(aside, { throwIfNoEntry: false });
  if (!stat || stat.mtimeMs >= before) return null;
  if (dryRun) return stat.size;
  makeFolder(join(store, DISCARDED));
  move(file, aside);
  const now = statSync(aside, { throwIfNoEntry: false });
  if (now && now.mtimeMs >= before) {
    move(aside, file);
    return null;
  }
  rmSync(aside, { force: true });
  return stat.size;
}

/** Another collector may have been faster. */
function move(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch (error) {
    if (!hasCode(error, "ENOENT")) throw error;
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (hasCode(error, "ENOENT", "ENOTDIR")) return [];
    throw error;
  }
}
