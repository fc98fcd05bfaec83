import { open } from "node:fs/promises";
import { dirname } from "node:path";
import { hasCode } from "../files/fs-error.ts";
import { inBatches } from "./in-batches.ts";

/** Of how many files it is remembered that they are synced, or have to be: who puts more and syncs none never will. */
const REMEMBERED = 100_000;

/** Brings the files of a store to the disk, each once. */
export class BlobSync {
  readonly #directory: string;
  readonly #done = new Set<string>();
  #due = new Set<string>();
  #last: Promise<void> = Promise.resolve();
  /** After a sync that failed, what is on the disk is not known, and no later one can make it good. */
  #broken: { error: unknown } | null = null;

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** A file that was put, by this process or, where it is not `fresh`, maybe by another that did not sync it. */
  note(file: string, fresh: boolean): void {
    if (!fresh && this.#done.has(file)) return;
    for (const files of [this.#done, this.#due]) if (files.size >= REMEMBERED) files.clear();
    this.#due.add(file);
  }

  /** Resolves when all that was noted before is on the disk: also what a sync that is under way has taken on. */
  sync(): Promise<void> {
    this.#last = this.#last.catch(() => {}).then(() => this.#syncDue());
    return this.#last;
  }

  async #syncDue(): Promise<void> {
    if (this.#broken) throw this.#broken.error;
    const files = [...this.#due];
    this.#due = new Set();
    if (files.length === 0) return;
    try {
      await inBatches(files, toDisk);
      await inBatches([...new Set(files.map(dirname)), this.#directory], toDisk); // their names
    } catch (error) {
      this.#broken = { error };
      throw error;
    }
    for (const file of files) this.#done.add(file);
  }
}

/** A file that was collected as garbage meanwhile is nothing that a log could still name. */
async function toDisk(path: string): Promise<void> {
  try {
    await using file = await open(path);
    await file.sync();
  } catch (error) {
    if (!hasCode(error, "ENOENT")) throw error;
  }
}
