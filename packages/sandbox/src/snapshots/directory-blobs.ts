import { hash, randomUUID } from "node:crypto";
import { readFile, rename, rm, stat, writeFile } from "node:fs/promises";
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

  return {
    async put(data) {
      const bytes = typeof data === "string" ? Buffer.from(data) : data;
      const id = sha256(bytes);
      const file = fileOf(id);
      if ((await sizeOf(file)) !== bytes.byteLength) {
        await makeStore(directory, dirname(file));
        await writeWhole(file, bytes);
      }
      return id;
    },
    async get(id) {
      const bytes = isBlobId(id) ? await readIfThere(fileOf(id)) : null;
      if (!bytes) throw new NotFoundError(`blob ${JSON.stringify(id)}`);
      if (sha256(bytes) !== id) {
        throw new SandboxError(`blob ${id} is damaged: ${fileOf(id)} holds other bytes; delete it and put it again`);
      }
      return bytes;
    },
    async has(id) {
      return isBlobId(id) && (await sizeOf(fileOf(id))) !== null;
    },
  };
}

export function sha256(bytes: Uint8Array | string): BlobId {
  return hash("sha256", bytes, "hex");
}

function isBlobId(id: string): boolean {
  return /^[0-9a-f]{64}$/.test(id);
}

async function makeStore(directory: string, folder: string): Promise<void> {
  try {
    makeFolder(folder);
  } catch (cause) {
    const problem = `no folder can be made at ${JSON.stringify(directory)} (${messageOf(cause)})`;
    throw new InvalidInputError("store", `${problem}; give one that can be written to`, { cause });
  }
}

async function writeWhole(file: string, bytes: Uint8Array): Promise<void> {
  const temporary = `${file}.${randomUUID()}.tmp`;
  try {
    await writeFile(temporary, bytes, { flag: "wx" });
    await rename(temporary, file);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

async function sizeOf(file: string): Promise<number | null> {
  try {
    return (await stat(file)).size;
  } catch (error) {
    if (hasCode(error, "ENOENT", "ENOTDIR")) return null;
    throw error;
  }
}

async function readIfThere(file: string): Promise<Uint8Array | null> {
  try {
    return await readFile(file);
  } catch (error) {
    if (hasCode(error, "ENOENT", "ENOTDIR")) return null;
    throw error;
  }
}
