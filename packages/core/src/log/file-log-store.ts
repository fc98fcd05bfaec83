import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { LOG_SCHEMA } from "../contracts/event.ts";
import { InvalidInputError, LogError } from "../errors.ts";
import { makeFolder } from "../make-folder.ts";
import { type Durability, FileLogWriter, notWritten } from "./file-log-writer.ts";
import { type Lock, takeLock } from "./lock-file.ts";
import { inFile, lockPathOf, realFileOf, streamLogFile } from "./log-file.ts";
import { writeLine } from "./log-line.ts";
import type { LogContent, LogStore } from "./log-store.ts";
import { parseLog } from "./parse-log.ts";

const SUFFIX = ".jsonl";
const LINE_FEED = 0x0a;

export type FileLogStoreOptions = {
  /** What an acknowledged event outlives. Default `critical`. */
  durability?: Durability;
};

/** Logs as files `<directory>/<runId>.jsonl`. Nothing is made before the first run begins. */
export function fileLogStore(directory = "runs", { durability = "critical" }: FileLogStoreOptions = {}): LogStore {
  const fileOf = (runId: string) => {
    if (!/^[A-Za-z0-9][\w.-]*$/.test(runId))
      throw new InvalidInputError("runId", `${JSON.stringify(runId)} cannot be a file name`);
    return join(directory, `${runId}${SUFFIX}`);
  };

  function readLog(runId: string) {
    const file = fileOf(runId);
    try {
      const data = readFileSync(file);
      return { ...parseLog(data), data };
    } catch (error) {
      throw inFile(error, file);
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
        const size = writeWhole(file, { header, events: [...past] }, { flush: false });
        return new FileLogWriter(file, size, { durability, lock });
      });
    },
    async open(runId) {
      const file = realFileOf(fileOf(runId));
      readLog(runId); // a run that is not there leaves no lock behind
      const lock = lockOf(file);
      return ownedBy(lock, () => {
        const { header, events, schema, bytes, data } = readLog(runId); // again: under the lock nobody else can add to it
        const end = schema === LOG_SCHEMA ? bytes : writeWhole(file, { header, events }, { flush: true });
        const writer = new FileLogWriter(file, end, { durability, lock });
        if (schema === LOG_SCHEMA && data[end - 1] !== LINE_FEED) writer.write("\n");
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
  try {
    return takeLock(
      path,
      ({ pid, host }) => new LogError("LOG_BUSY", `process ${pid} on ${host} is writing (${path})`),
    );
  } catch (error) {
    throw error instanceof LogError ? error : notWritten(error);
  }
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

/** All of the log, or what was there before; with `flush` also after a crash of the machine. Returns the log's size. */
function writeWhole(file: string, { header, events }: LogContent, { flush }: { flush: boolean }): number {
  const data = Buffer.from([header, ...events].map((line) => `${writeLine(line)}\n`).join(""));
  const unfinished = `${file}.new`;
  try {
    writeFileSync(unfinished, data, { flush });
    renameSync(unfinished, file);
  } catch (error) {
    rmSync(unfinished, { force: true });
    throw notWritten(error);
  }
  return data.length;
}
