import { type BigIntStats, closeSync, constants, fstatSync, lstatSync, openSync, readSync, type Stats } from "node:fs";
import { PathError } from "@swarm/core";
import { hasCode } from "./fs-error.ts";
import { held } from "./held.ts";

/** Bytes of the largest file that is read, and so of the largest in a snapshot. A command under bubblewrap writes none larger. */
export const LARGEST_FILE = 512 * 1024 * 1024;

export function statOf(absolute: string): BigIntStats | null {
  try {
    return lstatSync(absolute, { bigint: true });
  } catch (error) {
    if (hasCode(error, "ENOENT", "ENOTDIR")) return null;
    throw error;
  }
}

/**
 * The bytes of a regular file with its state before they were read; null when there is none. Never follows a link in the
 * last part of the path, and opens nothing else, such as a pipe or a device. Throws a {@link PathError} `FILE_TOO_LARGE` for
 * `path` when the file says that it has more than `limit` bytes, however few of them are on disk.
 */
export function readRegularFile(
  absolute: string,
  path: string,
  limit = LARGEST_FILE,
): { bytes: Buffer; stat: Stats } | null {
  try {
    return held(absolute, (name, stat) => (stat.isFile() ? readHeld(name, path, limit) : null));
  } catch (error) {
    if (hasCode(error, "ENOENT", "ENOTDIR")) return null;
    throw error;
  }
}

function readHeld(name: string, path: string, limit: number): { bytes: Buffer; stat: Stats } {
  const descriptor = openSync(name, constants.O_RDONLY);
  try {
    const stat = fstatSync(descriptor);
    if (stat.size > limit) {
      throw new PathError(path, `has ${stat.size} bytes, and files of up to ${limit} are read`, {
        code: "FILE_TOO_LARGE",
      });
    }
    return { bytes: readUpTo(descriptor, stat.size), stat };
  } finally {
    closeSync(descriptor);
  }
}

/** Not to the end: that may be moving away. */
function readUpTo(descriptor: number, size: number): Buffer {
  const bytes = Buffer.allocUnsafe(size);
  let length = 0;
  while (length < size) {
    const count = readSync(descriptor, bytes, length, size - length, length);
    if (count === 0) break;
    length += count;
  }
  return bytes.subarray(0, length);
}
