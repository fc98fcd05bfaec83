import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { startOf } from "@swarm/core";
import { killIfThere } from "./kill-if-there.ts";

/** The variable that marks the processes of a workspace, wherever in the tree of processes they move. */
export const MARKER = "SWARM_WORKSPACE";

const ROUNDS = 100;
const PAUSE_MS = 5;

export type Traces = {
  /** What a stray may have for its standard output or error, by {@link outputOf}. */
  output?: string | null;
  /** When the first process that may have left strays started, by `startOf`. Those that are older are none. */
  since?: string | null;
};

/**
 * Kills every process of a workspace until none is left: those with its folder in {@link MARKER}, those whose standard output
 * or error is `output`, those with an empty environment that work in the folder, and sandboxes made for it. A process has no
 * environment for a moment while it becomes another program, or for good when it wiped it; a sandbox is left over where the
 * process that started it was killed before it was set up. Finds nothing where there is no `/proc`.
 */
export async function killStrays(folder: string, { output = null, since = null }: Traces = {}): Promise<void> {
  const older = new Set<number>();
  // Twice nothing: one that ended while it was looked for may have left a child that the first list did not have yet.
  for (let round = 0, clean = 0; round < ROUNDS && clean < 2; round += 1) {
    const seen = processIds().filter((pid) => !older.has(pid));
    if (since !== null) for (const pid of seen) if (isOlder(pid, since)) older.add(pid);
    const strays = seen.filter((pid) => !older.has(pid) && belongsTo(pid, folder, output));
    for (const pid of strays) killIfThere(pid, "SIGKILL");
    clean = strays.length === 0 ? clean + 1 : 0;
    if (strays.length > 0) await delay(PAUSE_MS);
  }
}

function isOlder(pid: number, since: string): boolean {
  try {
    return Number(startOf(pid)) < Number(since);
  } catch {
    return true; // It is another user's, and not to be seen from here.
  }
}

/** What a process writes to, as the system names it: no other pipe or socket has that name as long as this one is held. */
export function outputOf(pid: number, descriptor: 1 | 2 = 1): string | null {
  try {
    return readlinkSync(`/proc/${pid}/fd/${descriptor}`);
  } catch {
    return null; // Dead, closed, or not to be seen from here.
  }
}

function processIds(): number[] {
  if (process.platform !== "linux") return [];
  return readdirSync("/proc").map(Number).filter(Number.isInteger);
}

function belongsTo(pid: number, folder: string, output: string | null): boolean {
  if (output !== null && [outputOf(pid), outputOf(pid, 2)].includes(output)) return true;
  try {
    const [program, ...args] = readFileSync(`/proc/${pid}/cmdline`, "latin1").split("\0");
    if (program === "bwrap" && args.includes(folder)) return true;
    const environment = readFileSync(`/proc/${pid}/environ`, "latin1");
    if (environment === "") return readlinkSync(`/proc/${pid}/cwd`).startsWith(folder);
    return `\0${environment}`.includes(`\0${MARKER}=${folder}\0`);
  } catch {
    return false; // It is dead, or another user's and so not one that we started.
  }
}
