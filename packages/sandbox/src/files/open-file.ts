import {
  type BigIntStats,
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readFileSync,
  type Stats,
} from "node:fs";
import { hasCode } from "./fs-error.ts";

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
 * last part of the path, and never waits for the other end of a pipe.
 */
export function readRegularFile(absolute: string): { bytes: Buffer; stat: Stats } | null {
  let descriptor: number;
  try {
    descriptor = openSync(absolute, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    if (hasCode(error, "ENOENT", "ENOTDIR", "ELOOP", "ENXIO")) return null;
    throw error;
  }
  try {
    const stat = fstatSync(descriptor);
    return stat.isFile() ? { bytes: readFileSync(descriptor), stat } : null;
  } finally {
    closeSync(descriptor);
  }
}
