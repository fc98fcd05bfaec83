import { hash, randomUUID } from "node:crypto";
import { existsSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
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

/**
 * Blobs as files below `directory`, made when the first one is put: `<directory>/ab/cdef…` holds the bytes whose sha-256
 * is `abcdef…`. A blob appears whole or not at all, so several processes may share the directory. Reading checks the
 * bytes against their name and rejects with a {@link SandboxError} when they are damaged; putting them again mends a blob
 * that was cut short. Putting rejects with an {@link InvalidInputError} for `store` where no folder can be made.
 */
export function directoryBlobs(directory: string): Blobs {
  const fileOf = (id: BlobId) => join(directory, id.slice(0, 2), id.slice(2));

  // Calls that wait are a fraction of the cost of promises over threads, and files here are small.
  return {
    async put(data) {
      const bytes = typeof data === "string" ? Buffer.from(data) : data;
      const id = sha256(bytes);
      const file = fileOf(id);
      if (sizeOf(file) !== bytes.byteLength) writeWhole(directory, file, bytes);
      return id;
    },
    async get(id) {
      const bytes = isBlobId(id) ? readIfThere(fileOf(id)) : null;
      if (!bytes) throw new NotFoundError(`blob ${JSON.stringify(id)}`);
      if (sha256(bytes) !== id) {
        throw new SandboxError(`blob ${id} is damaged: ${fileOf(id)} holds other bytes; delete it and put it again`);
      }
      return bytes;
    },
    async has(id) {
      return isBlobId(id) && sizeOf(fileOf(id)) !== null;
    },
  };
}

export function sha256(bytes: Uint8Array | string): BlobId {
  return hash("sha256", bytes, "hex");
}

function isBlobId(id: string): boolean {
  return /^[0-9a-f]{64}$/.test(id);
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

function sizeOf(file: string): number | null {
  return statSync(file, { throwIfNoEntry: false })?.size ?? null;
}

function readIfThere(file: string): Uint8Array | null {
  try {
    return readFileSync(file);
  } catch (error) {
    if (hasCode(error, "ENOENT", "ENOTDIR")) return null;
    throw error;
  }
}
