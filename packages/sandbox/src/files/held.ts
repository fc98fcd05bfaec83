import { closeSync, constants, fstatSync, lstatSync, mkdirSync, openSync, type Stats } from "node:fs";
import { hasCode } from "./fs-error.ts";

/** Linux's flag for what is opened only to be named: no right to read it is needed, and a device does not notice. */
const O_PATH = 0o10000000;

/**
 * Calls `use` with a name for what is at `absolute` that stays its name whatever becomes of the path that led there, as with
 * the system's calls that are relative to an opened folder: what is named below the name of a folder is in that folder. The
 * last part of `absolute` is not followed when it is a link.
 *
 * That is so on Linux, by `/proc/self/fd`. Elsewhere the name is `absolute` itself, and a process that runs meanwhile could
 * put something else there.
 */
export function held<T>(absolute: string | Buffer, use: (name: string, stat: Stats) => T): T {
  if (process.platform !== "linux") return use(absolute.toString(), lstatSync(absolute));
  const descriptor = openSync(absolute, O_PATH | constants.O_NOFOLLOW);
  try {
    return use(`/proc/self/fd/${descriptor}`, fstatSync(descriptor));
  } finally {
    closeSync(descriptor);
  }
}

/** The same for a folder. Fails with `ENOTDIR` for a link to one, or anything else. */
export function heldFolder<T>(absolute: string | Buffer, use: (folder: string) => T): T {
  return held(absolute, (name, stat) => {
    if (stat.isDirectory()) return use(name);
    throw Object.assign(new Error(`ENOTDIR: not a folder, ${absolute}`), { code: "ENOTDIR" });
  });
}

/**
 * The same for the folder at `path` below the folder `root`, `""` for that itself. No part of it may be a link. With `make`
 * the folders that are missing are made.
 */
export function inFolder<T>(root: string, path: string, use: (folder: string) => T, { make = false } = {}): T {
  return heldFolder(root, (folder) => {
    if (path === "") return use(folder);
    const [name = "", ...rest] = path.split("/");
    if (make) makeIfMissing(`${folder}/${name}`);
    return inFolder(`${folder}/${name}`, rest.join("/"), use, { make });
  });
}

function makeIfMissing(absolute: string): void {
  try {
    mkdirSync(absolute);
  } catch (error) {
    if (!hasCode(error, "EEXIST")) throw error;
  }
}
