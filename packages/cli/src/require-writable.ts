import { randomUUID } from "node:crypto";
import { lstatSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { InvalidInputError, makeFolder, messageOf } from "@swarm/core";
import { isFolder } from "./kind-of-file.ts";

/** Throws an {@link InvalidInputError} that names `flag` where {@link writeProblem} finds something. */
export function requireWritable(flag: string, folder: string): void {
  const problem = writeProblem(folder);
  if (problem) throw new InvalidInputError(flag, `${folder} cannot be written to: ${problem}; name another folder`);
}

/**
 * Why no file can be written to a folder, which may not be there yet; null where one can. It is tried: the folders that are
 * missing are made under a name of their own, so that runs that begin at once are not in each other's way. Nothing is left.
 */
export function writeProblem(folder: string): string | null {
  const there = nearestThere(folder);
  if (!isFolder(there)) return `${there} is no folder`;
  const probe = join(there, `.swarm-${randomUUID()}`);
  const inside = join(probe, relative(there, folder));
  try {
    makeFolder(inside);
    writeFileSync(join(inside, "file"), "");
    return null;
  } catch (error) {
    return `${there} refuses it (${reasonOf(error)})`;
  } finally {
    rmSync(probe, { recursive: true, force: true });
  }
}

/** What the system says, without the call and the path that it was about: `EACCES: permission denied`. */
export function reasonOf(error: unknown): string {
  const { syscall } = error as NodeJS.ErrnoException;
  return messageOf(error).split(`, ${syscall}`)[0]!;
}

/** The path, or the nearest one above it that exists: a link that leads nowhere does. */
function nearestThere(path: string): string {
  try {
    lstatSync(path);
    return path;
  } catch {
    return dirname(path) === path ? path : nearestThere(dirname(path));
  }
}
