import { randomUUID } from "node:crypto";
import { closeSync, openSync, readSync, unlinkSync, writeSync } from "node:fs";
import { join } from "node:path";

/**
 * Keeps all of a stream of bytes, up to a limit, in a file without a name: memory stays flat while it comes, and nothing is
 * left of it when this process is killed. A stream that is `few` bytes or less makes no file.
 */
export class WholeOutput {
  readonly #folder: string;
  readonly #limit: number;
  readonly #few: Buffer;
  #held = 0;
  #descriptor: number | null = null;
  #written = 0;
  #broken = false;

  constructor(folder: string, { few, limit }: { few: number; limit: number }) {
    this.#folder = folder;
    this.#limit = limit;
    this.#few = Buffer.allocUnsafe(few);
  }

  push(chunk: Buffer): void {
    if (this.#broken) return;
    if (this.#descriptor === null && this.#held + chunk.length <= this.#few.length) {
      this.#few.set(chunk, this.#held);
      this.#held += chunk.length;
      return;
    }
    try {
      if (this.#descriptor === null) {
        this.#descriptor = openNameless(this.#folder);
        this.#write(this.#descriptor, this.#few.subarray(0, this.#held));
      }
      this.#write(this.#descriptor, chunk);
    } catch {
      this.#broken = true; // The disk is full, say. What is there is no whole; the command is no worse for it.
    }
  }

  /** The bytes; null when they were few, or could not be kept. Gives the file back. */
  take(): Buffer | null {
    const descriptor = this.#descriptor;
    if (descriptor === null) return null;
    this.#descriptor = null;
    try {
      if (this.#broken) return null;
      const bytes = Buffer.allocUnsafe(this.#written);
      for (let at = 0; at < bytes.length; ) at += readSync(descriptor, bytes, at, bytes.length - at, at);
      return bytes;
    } finally {
      closeSync(descriptor);
    }
  }

  #write(descriptor: number, chunk: Buffer): void {
    const taken = chunk.subarray(0, this.#limit - this.#written);
    for (let at = 0; at < taken.length; ) {
      const written = writeSync(descriptor, taken, at, taken.length - at, this.#written);
      this.#written += written;
      at += written;
    }
  }
}

function openNameless(folder: string): number {
  const name = join(folder, `output-${randomUUID()}`);
  const descriptor = openSync(name, "wx+", 0o600);
  unlinkSync(name);
  return descriptor;
}
