import { createReadStream, existsSync, type FSWatcher, realpathSync, watch } from "node:fs";
import { untilAborted } from "../abort.ts";
import { LogError, NotFoundError } from "../errors.ts";
import type { Owner } from "../owner.ts";
import { Wake } from "../wake.ts";
import { holderOf } from "./lock-file.ts";
import { LogParser } from "./log-parser.ts";
import type { LogStream, StreamOptions } from "./log-store.ts";
import { type LogLines, streamAnew } from "./stream-log.ts";

/** A writer that was killed changes no file, and not every file system tells of changes. */
const LOOK_MS = 500;

/** The log itself where `file` is a link to it: all who write to it have to meet at one lock. */
export function realFileOf(file: string): string {
  return existsSync(file) ? realpathSync(file) : file;
}

/** The lock of whoever writes to the log at `file`. */
export function lockPathOf(file: string): string {
  return `${realFileOf(file)}.lock`;
}

/** Who writes to the log at `file` now; null where nobody does. */
export function logWriterOf(file: string): Owner | null {
  return holderOf(lockPathOf(file));
}

/** {@link LogStore.stream} of the log at `file`, whatever its name. */
export function streamLogFile(file: string, { follow = false, signal }: StreamOptions = {}): Promise<LogStream> {
  return streamAnew(() => linesOf(file, follow, signal ?? new AbortController().signal));
}

async function* linesOf(file: string, follow: boolean, signal: AbortSignal): LogLines {
  const parser = new LogParser();
  const changes = follow ? new FileChanges([file, lockPathOf(file)]) : null;
  try {
    for (;;) {
      const changed = changes?.next();
      const written = logWriterOf(file) !== null; // before the log is read, which then holds all that its writer wrote
      for await (const chunk of createReadStream(file, { start: parser.end })) {
        signal.throwIfAborted();
        yield* parser.push(chunk);
      }
      if (!changed || !written) return yield* parser.finish();
      parser.rewind();
      await untilAborted(signal, () => changed);
    }
  } catch (error) {
    throw inFile(error, file);
  } finally {
    changes?.close();
  }
}

/** What went wrong in reading the log at `file`, with its name. */
export function inFile(error: unknown, file: string): unknown {
  if (error instanceof LogError) return new LogError(error.code, `${file}: ${error.message}`, error, { cause: error });
  return (error as NodeJS.ErrnoException).code === "ENOENT" ? new NotFoundError(`the log ${file}`) : error;
}

/** Tells that one of some files may have changed: where the system says so at once, else after a while. */
class FileChanges {
  readonly #wake = new Wake();
  readonly #timer = setInterval(() => this.#wake.wake(), LOOK_MS);
  readonly #watchers: FSWatcher[];

  constructor(files: readonly string[]) {
    this.#watchers = files.flatMap((file) => watcherOf(file, () => this.#wake.wake()));
  }

  next(): Promise<void> {
    return this.#wake.next;
  }

  close(): void {
    clearInterval(this.#timer);
    for (const watcher of this.#watchers) watcher.close();
  }
}

/** None for a file that is not there, or where the system has no more watches to give. */
function watcherOf(file: string, onChange: () => void): FSWatcher[] {
  try {
    return [watch(file, onChange).on("error", () => {})];
  } catch {
    return [];
  }
}
