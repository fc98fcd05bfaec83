import {
  closeSync,
  fdatasync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import type { LogHeader, RunEvent } from "../contracts/event.ts";
import { InvalidInputError, LogError, messageOf, NotFoundError } from "../errors.ts";
import { writeLine } from "./log-line.ts";
import type { LogStore, LogWriter } from "./log-store.ts";
import { parseLog } from "./parse-log.ts";

/** Logs as files `<directory>/<runId>.jsonl`. Nothing is made before the first run begins. */
export function fileLogStore(directory = "runs"): LogStore {
  const fileOf = (runId: string) => {
    if (!/^[A-Za-z0-9][\w.-]*$/.test(runId))
      throw new InvalidInputError("runId", `${JSON.stringify(runId)} cannot be a file name`);
    return join(directory, `${runId}.jsonl`);
  };

  function readLog(runId: string) {
    try {
      return parseLog(readFileSync(fileOf(runId)));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") throw new NotFoundError(`the log ${fileOf(runId)}`);
      throw error;
    }
  }

  return {
    specificationVersion: "v1",
    async create(header) {
      mkdirSync(directory, { recursive: true });
      const file = fileOf(header.runId);
      const release = lock(file);
      try {
        const descriptor = openSync(file, "wx");
        const writer = fileWriter(descriptor, 0, release);
        writer.appendLine(header);
        return writer;
      } catch (error) {
        release();
        if ((error as NodeJS.ErrnoException).code === "EEXIST")
          throw new LogError("LOG_EXISTS", `${file} is there already`);
        throw error;
      }
    },
    async open(runId) {
      const file = fileOf(runId);
      const { header, events, bytes } = readLog(runId);
      const release = lock(file);
      const descriptor = openSync(file, "r+");
      ftruncateSync(descriptor, bytes);
      const writer = fileWriter(descriptor, bytes, release);
      writer.endLine();
      return { header, events, writer };
    },
    async read(runId) {
      const { header, events } = readLog(runId);
      return { header, events };
    },
    location: fileOf,
  };
}

function fileWriter(descriptor: number, length: number, release: () => void) {
  let end = length;

  /** All of the text, or none of it: a write that fails half-way is cut off again. */
  function write(text: string): void {
    const data = Buffer.from(text);
    let written = 0;
    try {
      while (written < data.length)
        written += writeSync(descriptor, data, written, data.length - written, end + written);
    } catch (error) {
      ftruncateSync(descriptor, end);
      throw new LogError("LOG_WRITE_FAILED", `the log could not be written: ${messageOf(error)}`);
    }
    end += written;
  }

  return {
    appendLine: (value: LogHeader) => write(`${writeLine(value)}\n`),
    endLine: () => write("\n"),
    append: (events: readonly RunEvent[]) => write(events.map((event) => `${writeLine(event)}\n`).join("")),
    async sync() {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      fdatasync(descriptor, (error) => (error ? reject(error) : resolve()));
      await promise;
    },
    async close() {
      closeSync(descriptor);
      release();
    },
  } satisfies LogWriter & Record<string, unknown>;
}

/** One writer a log: a lock file that holds the writer's process id. That of a dead process is taken over. */
function lock(file: string): () => void {
  const path = `${file}.lock`;
  for (;;) {
    try {
      writeFileSync(path, String(process.pid), { flag: "wx" });
      return () => rmSync(path, { force: true });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
      const holder = Number(readFileSync(path, "utf8"));
      if (isAlive(holder)) throw new LogError("LOG_BUSY", `process ${holder} is writing to ${file}`);
      rmSync(path, { force: true });
    }
  }
}

function isAlive(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
