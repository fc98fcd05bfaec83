import { closeSync, fdatasync, fsync, ftruncateSync, openSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { promisify } from "node:util";
import type { RunEvent } from "../contracts/event.ts";
import { LogError, messageOf } from "../errors.ts";
import { GroupSync } from "./group-sync.ts";
import type { Lock } from "./lock-file.ts";
import { writeLine } from "./log-line.ts";
import type { LogWriter } from "./log-store.ts";

/**
 * What a log that is a file promises of an event that was acknowledged. All of them hand it to the kernel first, so that it
 * outlives the process:
 * - `kernel` leaves it there. A crash of the machine may take the last seconds of the log.
 * - `critical` syncs what cannot be had again (what was paid for or done outside, checkpoints, verdicts) to the disk.
 * - `all` syncs every event.
 *
 * What is synced never names a blob of this process that is not: blobs that can be are synced first.
 */
export type Durability = "kernel" | "critical" | "all";

/** Appends to the log in `file` from `end` on, and gives the lock back when it is closed. */
export class FileLogWriter implements LogWriter {
  readonly #file: string;
  readonly #descriptor: number;
  readonly #durability: Durability;
  readonly #lock: Lock;
  readonly #syncs = new GroupSync(() => this.#toDisk());
  #syncNamed = async () => {};
  #nameIsSynced = false;
  #end: number;
  /** After a sync that failed, what is on the disk is not known, and no later one can make it good. */
  #broken: LogError | null = null;

  constructor(file: string, end: number, { durability, lock }: { durability: Durability; lock: Lock }) {
    this.#file = file;
    this.#descriptor = openSync(file, "r+");
    this.#durability = durability;
    this.#lock = lock;
    this.#end = end;
    ftruncateSync(this.#descriptor, end);
  }

  append(events: readonly RunEvent[]): void {
    this.write(events.map((event) => `${writeLine(event)}\n`).join(""));
  }

  /** All of the text, or none of it: a write that fails half-way is cut off again. */
  write(text: string): void {
    if (this.#broken) throw this.#broken;
    const data = Buffer.from(text);
    let written = 0;
    try {
      while (written < data.length)
        written += writeSync(this.#descriptor, data, written, data.length - written, this.#end + written);
    } catch (error) {
      cutOff(this.#descriptor, this.#end);
      throw notWritten(error);
    }
    this.#end += written;
  }

  async acknowledge(critical: boolean): Promise<void> {
    if (this.#durability === "all" || (critical && this.#durability === "critical")) await this.#syncs.request();
  }

  syncAfter(sync: () => Promise<void>): void {
    this.#syncNamed = sync;
  }

  async close(): Promise<void> {
    await this.#syncs.idle();
    try {
      closeSync(this.#descriptor);
    } finally {
      this.#lock.release();
    }
  }

  async #toDisk(): Promise<void> {
    if (this.#broken) throw this.#broken;
    try {
      await this.#syncNamed();
      await promisify(fdatasync)(this.#descriptor);
      if (!this.#nameIsSynced) await syncFolder(dirname(this.#file)); // without its name the log would be lost with all that is in it
      this.#nameIsSynced = true;
    } catch (error) {
      this.#broken = notWritten(error);
      throw this.#broken;
    }
  }
}

async function syncFolder(folder: string): Promise<void> {
  const descriptor = openSync(folder, "r");
  try {
    await promisify(fsync)(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

export function notWritten(error: unknown): LogError {
  return new LogError("LOG_WRITE_FAILED", `the log could not be written: ${messageOf(error)}`, null, { cause: error });
}

/** What is left of a write that failed; a reader takes it as torn should this fail too. */
function cutOff(descriptor: number, end: number): void {
  try {
    ftruncateSync(descriptor, end);
  } catch {
    // the write's own error is what the caller has to know
  }
}
