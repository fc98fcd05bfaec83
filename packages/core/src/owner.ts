import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";
import { z } from "zod";
import type { Schema } from "./contracts/json.ts";

/** A process, told apart from every other one that was given its id. */
export type Owner = {
  pid: number;
  /** As {@link startOf} tells it; null on a system that does not. */
  started: string | null;
  /** Which boot of the machine, after which ids and starts may come again; null on a system that does not tell. */
  boot: string | null;
  /** The host and, on Linux, the namespace in which the id counts: what it owns may be shared with others. */
  where: string;
};

export const OwnerSchema: Schema<Owner> = z.strictObject({
  pid: z.int().positive(),
  started: z.string().nullable(),
  boot: z.string().nullable(),
  where: z.string(),
});

export function thisProcess(): Owner {
  return { pid: process.pid, started: startOf(process.pid), boot: bootOf(), where: here() };
}

/** Whether a process may still be there. One that cannot be seen from here counts as alive. */
export function isAlive({ pid, started, boot, where }: Owner): boolean {
  if (where !== here()) return true;
  if (boot !== bootOf()) return false;
  return started === null ? answers(pid) : startOf(pid) === started;
}

function here(): string {
  return `${hostname()} ${pidNamespace()}`;
}

function pidNamespace(): string {
  try {
    return readlinkSync("/proc/self/ns/pid");
  } catch (error) {
    if (hasCode(error, "ENOENT")) return "";
    throw error;
  }
}

function bootOf(): string | null {
  try {
    return readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
  } catch (error) {
    if (hasCode(error, "ENOENT", "EACCES")) return null;
    throw error;
  }
}

function answers(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return !hasCode(error, "ESRCH");
  }
}

/**
 * When the process with an id started, in ticks of the kernel's clock since boot, by which it is told from a later one with
 * the same id. Null when there is none, or no `/proc`. A zombie, of which only its end is left to be told, is none.
 */
export function startOf(pid: number): string | null {
  let stat: string;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, "latin1");
  } catch (error) {
    if (hasCode(error, "ENOENT", "ESRCH")) return null;
    throw error;
  }
  // The second field is the program's name in brackets, and may hold anything, brackets and blanks too.
  const [state = "", ...fields] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return "ZX".includes(state) ? null : (fields[18] ?? null);
}

function hasCode(error: unknown, ...codes: readonly string[]): boolean {
  return codes.includes((error as NodeJS.ErrnoException).code ?? "");
}
