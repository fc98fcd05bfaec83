import { messageOf } from "@swarm/core";
import { MemoryError } from "../memory-error.ts";

/** SQLite's primary result codes, from its documentation. */
const BUSY = [5, 6];
const DAMAGED = [11, 26];

/** Whatever SQLite or the file system threw, as an error that names the file and says what to do. */
export function databaseError(error: unknown, file: string): unknown {
  const { errcode, syscall } = (error ?? {}) as { errcode?: unknown; syscall?: unknown };
  if (typeof errcode !== "number" && typeof syscall !== "string") return error;
  const primary = Number(errcode) & 0xff;
  const why = messageOf(error);
  if (BUSY.includes(primary))
    return new MemoryError("MEMORY_BUSY", `other processes kept writing to the memory ${file} for too long (${why})`, {
      cause: error,
    });
  if (DAMAGED.includes(primary)) return damaged(file, why, error);
  const message = `the memory ${file} cannot be used (${why}): see that the file and its folder can be written and the disk is not full`;
  return new MemoryError("MEMORY_UNAVAILABLE", message, { cause: error });
}

export function damaged(file: string, why: string, cause?: unknown): MemoryError {
  const message = `the memory ${file} is damaged or no database (${why}): clear it (swarm run --reset-memory), which moves the file aside and begins an empty one`;
  return new MemoryError("MEMORY_DAMAGED", message, { cause });
}
