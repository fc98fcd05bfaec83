import { readlinkSync } from "node:fs";
import { hostname } from "node:os";
import { z } from "zod";
import { startOf } from "../exec/start-of.ts";
import { hasCode } from "../files/fs-error.ts";

/** A process, told apart from every other one that was given its id. */
export type Owner = {
  pid: number;
  /** As {@link startOf} tells it; null on a system that does not. */
  started: string | null;
  /** The host and, on Linux, the namespace in which the id counts: the folder may be shared with others. */
  where: string;
};

export const OwnerSchema: z.ZodType<Owner> = z.strictObject({
  pid: z.int().positive(),
  started: z.string().nullable(),
  where: z.string(),
});

export function thisProcess(): Owner {
  return { pid: process.pid, started: startOf(process.pid), where: here() };
}

/** Whether a process may still be there. One that cannot be seen from here counts as alive. */
export function isAlive({ pid, started, where }: Owner): boolean {
  if (where !== here()) return true;
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

function answers(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return !hasCode(error, "ESRCH");
  }
}
