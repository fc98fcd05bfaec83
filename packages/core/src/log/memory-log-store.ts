import { untilAborted } from "../abort.ts";
import type { LogHeader, RunEvent } from "../contracts/event.ts";
import { LogError, NotFoundError } from "../errors.ts";
import { Wake } from "../wake.ts";
import type { LogStore, LogWriter } from "./log-store.ts";

type Log = { header: LogHeader; events: RunEvent[]; writing: boolean; changes: Wake };

/** Logs that live as long as this object: for tests, replays and embedding without a disk. */
export function memoryLogStore(): LogStore {
  const logs = new Map<string, Log>();

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
      append(events) {
        log.events.push(...events);
        log.changes.wake();
      },
      acknowledge: async () => {},
      async close() {
        log.writing = false;
        log.changes.wake();
      },
    };
  }

  return {
    specificationVersion: "v1",
    async create(header, past = []) {
      if (logs.has(header.runId)) throw new LogError("LOG_EXISTS", `run ${header.runId} has a log already`);
      logs.set(header.runId, { header, events: [...past], writing: false, changes: new Wake() });
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
    async stream(runId, { follow = false, signal = new AbortController().signal } = {}) {
      const log = logOf(runId);
      return { header: log.header, events: { [Symbol.asyncIterator]: () => eventsOf(log, follow, signal) } };
    },
    runIds: async () => [...logs.keys()].sort(),
    location: () => null,
  };
}

async function* eventsOf(log: Log, follow: boolean, signal: AbortSignal): AsyncGenerator<RunEvent> {
  for (let next = 0; ; ) {
    for (; next < log.events.length; next++) {
      signal.throwIfAborted();
      yield log.events[next]!;
    }
    if (!follow || !log.writing) return;
    await untilAborted(signal, () => log.changes.next);
  }
}
