import {
  closeSync,
  existsSync,
  fdatasync,
  ftruncateSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { RunEvent } from "../contracts/event.ts";
import { InvalidInputError, LogError, messageOf } from "../errors.ts";
import { makeFolder } from "../make-folder.ts";
import { type Lock, takeLock } from "./lock-file.ts";
import { lockPathOf, notFound, streamLogFile } from "./log-file.ts";
import { writeLine } from "./log-line.ts";
import type { LogStore, LogWriter } from "./log-store.ts";
import { parseLog } from "./parse-log.ts";

const SUFFIX = ".jsonl";
const LINE_FEED = 0x0a;

/** Logs as files `<directory>/<runId>.jsonl`. Nothing is made before the first run begins. */
export function fileLogStore(directory = "runs"): LogStore {
  const fileOf = (runId: string) => {
    if (!/^[A-Za-z0-9][\w.-]*$/.test(runId))
      throw new InvalidInputError("runId", `${JSON.stringify(runId)} cannot be a file name`);
    return join(directory, `${runId}${SUFFIX}`);
  };

  function readLog(runId: string) {
    const file = fileOf(runId);
    try {
      const data = readFileSync(file);
      const log = parseLog(data);
      return { ...log, whole: data[log.bytes - 1] === LINE_FEED };
    } catch (error) {
      throw notFound(error, file);
    }
  }

  return {
    specificationVersion: "v1",
    async create(header, past = []) {
      const file = fileOf(header.runId);
      makeFolder(directory);
      const lock = lockOf(file);
      return ownedBy(lock, () => {
        if (existsSync(file)) throw new LogError("LOG_EXISTS", `${file} is there already`);
        const lines = Buffer.from([header, ...past].map((line) => `${writeLine(line)}\n`).join(""));
        writeWhole(file, lines);
        return fileWriter(openSync(file, "r+"), lines.length, lock);
      });
    },
    async open(runId) {
      const file = fileOf(runId);
      readLog(runId); // a run that is not there leaves no lock behind
      const lock = lockOf(file);
      return ownedBy(lock, () => {
        const { header, events, bytes, whole } = readLog(runId); // again: under the lock nobody else can add to it
        const descriptor = openSync(file, "r+");
        ftruncateSync(descriptor, bytes);
        const writer = fileWriter(descriptor, bytes, lock);
        if (!whole) writer.endLine();
        return { header, events, writer, tookOver: lock.tookOver };
      });
    },
    async read(runId) {
      const { header, events } = readLog(runId);
      return { header, events };
    },
    stream: async (runId, options) => await streamLogFile(fileOf(runId), options),
    async runIds() {
      const names = await readdir(directory).catch((error: NodeJS.ErrnoException) => {
        if (error.code === "ENOENT") return [];
        throw error;
      });
      return names
        .filter((name) => name.endsWith(SUFFIX))
        .map((name) => name.slice(0, -SUFFIX.length))
        .sort();
    },
    location: fileOf,
  };
}

function lockOf(file: string): Lock {
  const path = lockPathOf(file);
  return takeLock(path, ({ pid }) => new LogError("LOG_BUSY", `process ${pid} is writing (${path})`));
}

/** What is opened under a lock; the lock is given back when that fails. */
function ownedBy<T>(lock: Lock, open: () => T): T {
  try {
    return open();
  } catch (error) {
    lock.release();
    throw error;
  }
}

/** All of the data or no file: a log without a header cannot be read. */
function writeWhole(file: string, data: Buffer): void {
  const unfinished = `${file}.new`;
  try {
    writeFileSync(unfinished, data);
    renameSync(unfinished, file);
  } catch (error) {
    rmSync(unfinished, { force: true });
    throw notWritten(error);
  }
}

function fileWriter(descriptor: number, length: number, lock: Lock) {
  let end = length;

  /** All of the text, or none of it: a write that fails half-way is cut off again. */
  function write(text: string): void {
    const data = Buffer.from(text);
    let written = 0;
    try {
      while (written < data.length)
        written += writeSync(descriptor, data, written, data.length - written, end + written);
    } catch (error) {
      cutOff(descriptor, end);
      throw notWritten(error);
    }
    end += written;
  }

  return {
    endLine: () => write("\n"),
    append: (events: readonly RunEvent[]) => write(events.map((event) => `${writeLine(event)}\n`).join("")),
    async sync() {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      fdatasync(descriptor, (error) => (error ? reject(notWritten(error)) : resolve()));
      await promise;
    },
    async close() {
      try {
        closeSync(descriptor);
      } finally {
        lock.release();
      }
    },
  } satisfies LogWriter & Record<string, unknown>;
}

function notWritten(error: unknown): LogError {
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
