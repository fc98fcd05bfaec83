import { hash, randomUUID } from "node:crypto";
import { existsSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import {
  type BlobId,
  type Blobs,
  InvalidInputError,
  makeFolder,
  messageOf,
  NotFoundError,
  SandboxError,
} from "@swarm/core";
import { hasCode } from "../files/fs-error.ts";
import { BlobSync } from "./blob-sync.ts";

/**
 * Blobs as files below `directory`, made when the first one is put: `<directory>/ab/cdef…` holds the bytes whose sha-256
 * is `abcdef…`. A blob appears whole or not at all, so several processes may share the directory. Reading checks the
 * bytes against their name and rejects with a {@link SandboxError} when they are damaged; putting them again mends a blob
 * that was cut short. Putting rejects with an {@link InvalidInputError} for `store` where no folder can be made.
 */
export function directoryBlobs(directory: string): Blobs {
  const disk = new BlobSync(directory);
  // Calls that wait are a fraction of the cost of promises over threads, and files here are small.
  return {
    async put(data) {
      const bytes = typeof data === "string" ? Buffer.from(data) : data;
      const id = sha256(bytes);
      const file = blobFile(directory, id);
      const fresh = !isThere(file, bytes.byteLength);
      if (fresh) writeWhole(directory, file, bytes);
      disk.note(file, fresh);
      return id;
    },
    async get(id) {
      const bytes = isBlobId(id) ? readBlob(directory, id) : null;
      if (!bytes) throw new NotFoundError(`blob ${JSON.stringify(id)}`);
      if (sha256(bytes) !== id) {
        const file = blobFile(directory, id);
        throw new SandboxError(`blob ${id} is damaged: ${file} holds other bytes; delete it and put it again`);
      }
      return bytes;
    },
    async has(id) {
      return isBlobId(id) && [blobFile(directory, id), discardedFile(directory, id)].some(existsSync);
    },
    sync: () => disk.sync(),
  };
}

/** How long a blob that is there already counts as just put, in milliseconds. */
export const FRESH_MS = 60 * 60 * 1000;

/** Folder of a store in which blobs lie that are about to be removed as garbage, until it is sure that nobody put them again. */
export const DISCARDED = "discarded";

export function blobFile(directory: string, id: BlobId): string {
  return join(directory, id.slice(0, 2), id.slice(2));
}

export function discardedFile(directory: string, id: BlobId): string {
  return join(directory, DISCARDED, id);
}

export function isBlobId(id: string): boolean {
  return /^[0-9a-f]{64}$/.test(id);
}

export function sha256(bytes: Uint8Array | string): BlobId {
  return hash("sha256", bytes, "hex");
}

/**
 * Whether a blob is there and stays there: one that could be old enough to be garbage is made new. Where a collector takes
 * it at this very moment, either that one sees the new time, or the file is gone now.
 */
function isThere(file: string, size: number): boolean {
  const stat = statSync(file, { throwIfNoEntry: false });
  if (stat?.size !== size) return false;
  const now = Date.now();
  if (now - stat.mtimeMs < FRESH_MS) return true;
  try {
    utimesSync(file, now / 1000, now / 1000);
    return existsSync(file);
  } catch {
    return false; // gone, or another user's: written anew it is ours
  }
}

/** Where a collector puts a blob back it is in the one place or in the other, and may have been moved between the looks. */
function readBlob(directory: string, id: BlobId): Uint8Array | null {
  const file = blobFile(directory, id);
  return readIfThere(file) ?? readIfThere(discardedFile(directory, id)) ?? readIfThere(file);
}

/** Written beside its place and renamed, so that nobody sees half of it. */
function writeWhole(directory: string, file: string, bytes: Uint8Array): void {
  if (!existsSync(dirname(file))) makeStore(directory, dirname(file));
  const temporary = `${file}.${randomUUID()}.tmp`;
  try {
    writeFileSync(temporary, bytes, { flag: "wx" });
    renameSync(temporary, file);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

function makeStore(directory: string, folder: string): void {
  try {
    makeFolder(folder);
  } catch (cause) {
    const problem = `no folder can be made at ${JSON.stringify(directory)} (${messageOf(cause)})`;
    throw new InvalidInputError("store", `${problem}; give one that can be written to`, { cause });
  }
}

function readIfThere(file: string): Uint8Array | null {
  try {
    return readFileSync(file);
  } catch (error) {
    if (hasCode(error, "ENOENT", "ENOTDIR")) return null;
    throw error;
  }
}
