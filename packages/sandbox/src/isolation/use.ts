import { lstatSync, readdirSync, readFileSync, type Stats, statfsSync, statSync } from "node:fs";
import type { Limits } from "./limits.ts";

/** Entries that are looked at in a folder before it counts as too large to look at. */
const MOST_ENTRIES = 500_000;
const BLOCK = 512;
const SLASH = Buffer.from("/");
/** Between two counts of a workspace's files: at least this, and so many times as long as the last one took. */
const [LEAST_PAUSE_MS, PAUSE_FACTOR] = [250, 10];

export type Watched = {
  /** The workspace, on the host. */
  folder: string;
  limits: Limits;
  /** Id of the process that was started, bwrap's own: what it started first is what all others descend from. */
  root: number;
  /** When that was, in milliseconds since the epoch. */
  started: number;
  /** Whether nothing else bounds memory and the number of processes. */
  alone: boolean;
};

/**
 * Looks at what a command uses together, for what no limit of the system bounds: each call gives what there is too much of, or
 * null. Takes no module of another package: it is for a thread, which should be there at once.
 */
export function lookAt({ folder, limits, root, started, alone }: Watched): () => string | null {
  const disk = diskWatch({ folder, limits, root, started });
  return () => disk() ?? (alone ? processExcess(descendantsOf(root), limits) : null);
}

/**
 * How much of the disk is free is known at once: when the disk has lost more than a command may use, it is counted how much
 * of that is in the workspace, or in files that were opened and removed. Since others may free as much meanwhile, it is
 * counted now and then anyway, more rarely the longer that takes.
 */
function diskWatch({ folder, limits, root, started }: Omit<Watched, "alone">): () => string | null {
  let before = freeAt(folder);
  let nextCount = started + LEAST_PAUSE_MS;
  return () => {
    const now = freeAt(folder);
    const lost = before.bytes - now.bytes > limits.disk || before.files - now.files > limits.files;
    if (!lost && Date.now() < nextCount) return null;

    const began = Date.now();
    const used = usedSince(started, folder, root, limits);
    nextCount = Date.now() + Math.max(LEAST_PAUSE_MS, PAUSE_FACTOR * (Date.now() - began));
    if (used === null) return lost ? "files that cannot be looked at" : null;
    if (used.bytes > limits.disk) return `${inMegabytes(limits.disk)} of new files`;
    if (used.files > limits.files) return `${limits.files} new files`;
    before = { bytes: now.bytes + used.bytes, files: now.files + used.files };
    return null;
  };
}

type Amount = { bytes: number; files: number };

function freeAt(folder: string): Amount {
  try {
    const { bavail, bsize, ffree } = statfsSync(folder);
    return { bytes: bavail * bsize, files: ffree };
  } catch {
    return { bytes: 0, files: 0 }; // The workspace is gone, which no command can bring about.
  }
}

/** What was written since then, as far as need be; null when the command keeps it from being looked at. */
function usedSince(started: number, folder: string, root: number, limits: Limits): Amount | null {
  const used: Amount = { bytes: 0, files: 0 };
  let entries = 0;
  try {
    const { dev } = statSync(folder);
    for (const stat of unnamedFiles(descendantsOf(root))) if (stat.dev === dev) used.bytes += stat.blocks * BLOCK;
    for (const stat of entriesBelow(Buffer.from(folder))) {
      entries += 1;
      if (entries > MOST_ENTRIES) return null;
      if (stat.ctimeMs < started) continue;
      used.bytes += stat.blocks * BLOCK;
      used.files += 1;
      if (used.bytes > limits.disk || used.files > limits.files) break;
    }
    return used;
  } catch {
    return null; // A locked folder, or a path longer than any program can name: from a command that filled the disk.
  }
}

function processExcess(pids: readonly number[], { memory, processes }: Limits): string | null {
  const states = pids.map((pid) => textOf(`/proc/${pid}/status`));
  if (sum(states, "Threads") > processes) return `${processes} processes`;
  const files = new Map(unnamedFiles(pids).map((stat) => [`${stat.dev}:${stat.ino}`, stat.blocks * BLOCK]));
  const unnamed = [...files.values()].reduce((total, bytes) => total + bytes, 0);
  const tooMuch = (kilobytes: number) => kilobytes * 1024 + unnamed > memory;
  if (!tooMuch(sum(states, "RssAnon") + sum(states, "RssShmem"))) return null;
  // What processes share has been counted for each. This takes its time and counts it once.
  const exact = pids.map((pid) => textOf(`/proc/${pid}/smaps_rollup`));
  return tooMuch(sum(exact, "Pss_Anon") + sum(exact, "Pss_Shmem")) ? `${inMegabytes(memory)} of memory` : null;
}

/** Adds up a field of texts with a field and a number on each line. */
function sum(texts: readonly string[], field: string): number {
  const line = new RegExp(`^${field}:\\s*(\\d+)`, "m");
  return texts.reduce((total, text) => total + Number(line.exec(text)?.[1] ?? 0), 0);
}

/** All that descend from a process, the first that it started first. */
export function descendantsOf(root: number): number[] {
  const found = childrenOf(root);
  for (const pid of found) found.push(...childrenOf(pid));
  return found;
}

function childrenOf(pid: number): number[] {
  return namesIn(`/proc/${pid}/task`).flatMap((thread) =>
    (textOf(`/proc/${pid}/task/${thread}/children`).match(/\d+/g) ?? []).map(Number),
  );
}

/** Files, links and folders. By the bytes of their names, since they need not be text. */
function* entriesBelow(folder: Buffer): Generator<Stats> {
  for (const name of readdirSync(folder, "buffer")) {
    const path = Buffer.concat([folder, SLASH, name]);
    const stat = lstatSync(path, { throwIfNoEntry: false });
    if (!stat) continue; // it has just gone
    yield stat;
    if (stat.isDirectory()) yield* entriesBelow(path);
  }
}

/** Files that are open and have no name any more, or never had: no walk finds them. */
function unnamedFiles(pids: readonly number[]): Stats[] {
  return pids.flatMap((pid) =>
    namesIn(`/proc/${pid}/fd`).flatMap((descriptor) => {
      try {
        const stat = statSync(`/proc/${pid}/fd/${descriptor}`);
        return stat.isFile() && stat.nlink === 0 ? [stat] : [];
      } catch {
        return []; // Closed, or the process has ended.
      }
    }),
  );
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return []; // The process has ended.
  }
}

function textOf(file: string): string {
  try {
    return readFileSync(file, "latin1");
  } catch {
    return ""; // The process has ended.
  }
}

/** Amounts that a command had too much of. */
export const inMegabytes = (bytes: number) => `${Math.round(bytes / 1024 / 1024)} MB`;
