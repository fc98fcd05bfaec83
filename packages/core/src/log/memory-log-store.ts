import type { LogHeader, RunEvent } from "../contracts/event.ts";
import { LogError, NotFoundError } from "../errors.ts";
import type { LogStore, LogWriter } from "./log-store.ts";

/** Logs that live as long as this object: for tests, replays and embedding without a disk. */
export function memoryLogStore(): LogStore {
  const logs = new Map<string, { header: LogHeader; events: RunEvent[]; writing: boolean }>();

  function logOf(runId: string) {
    const log = logs.get(runId);
    if (!log) throw new NotFoundError(`run ${runId}`);
    return log;
  }
  function writerOf(runId: string): LogWriter {
    const log = logOf(runId);
    if (log.writing) throw new LogError("LOG_BUSY", `run ${runId} is being written to`);
    log.writing = true;
    return {
      append: (events) => void log.events.push(...events),
      sync: async () => {},
      async close() {
        log.writing = false;
      },
    };
  }

  return {
    specificationVersion: "v1",
    async create(header) {
      if (logs.has(header.runId)) throw new LogError("LOG_EXISTS", `run ${header.runId} has a log already`);
      logs.set(header.runId, { header, events: [], writing: false });
      return writerOf(header.runId);
    },
    async open(runId) {
      const { header, events } = logOf(runId);
      return { header, events: [...events], writer: writerOf(runId), tookOver: null };
    },
    async read(runId) {
      const { header, events } = logOf(runId);
      return { header, events: [...events] };
    },
    async stream(runId) {
      const { header, events } = logOf(runId);
      return { header, events: { [Symbol.asyncIterator]: () => eachOf(events) } };
    },
    runIds: async () => [...logs.keys()].sort(),
    location: () => null,
  };
}

async function* eachOf(events: readonly RunEvent[]): AsyncGenerator<RunEvent> {
  yield* events;
}
