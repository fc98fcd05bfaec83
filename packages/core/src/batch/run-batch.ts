import { EventEmitter } from "eventemitter3";
import { checkInput } from "../check-input.ts";
import { messageOf, SwarmError } from "../errors.ts";
import { BatchWork } from "./batch-work.ts";
import { type Batch, type BatchEvent, type BatchOptions, BatchOptionsSchema, type BatchTask } from "./options.ts";
import type { BatchReport } from "./tally.ts";

/**
 * Runs many tasks at once. Tasks are taken one by one as there is room for them, and of a run that is over only its row is
 * kept, so memory does not grow with their number.
 */
export function startBatch(tasks: Iterable<BatchTask> | AsyncIterable<BatchTask>, options: BatchOptions): Batch {
  const events = new EventEmitter<{ event: [BatchEvent] }>();
  const work = new BatchWork(checkInput(BatchOptionsSchema, options, { root: "options" }), (event) =>
    events.emit("event", event),
  );
  return {
    on(listener) {
      const guarded = guardedListener(listener);
      events.on("event", guarded);
      return () => void events.off("event", guarded);
    },
    progress: () => work.progress(),
    drain: (reason = "drained by the caller") => work.drain(reason),
    abort: (reason = "aborted by the caller") => work.abort(new SwarmError("ABORTED", reason)),
    result: Promise.resolve().then(() => work.run(tasks)), // after the listeners of who started it
  };
}

/** {@link startBatch}, waited for. */
export function runBatch(
  tasks: Iterable<BatchTask> | AsyncIterable<BatchTask>,
  options: BatchOptions,
): Promise<BatchReport> {
  return startBatch(tasks, options).result;
}

function guardedListener(listener: (event: BatchEvent) => unknown): (event: BatchEvent) => void {
  let failed = false;
  const fail = (error: unknown) => {
    if (!failed) process.emitWarning(`a listener of a batch failed: ${messageOf(error)}`);
    failed = true;
  };
  return (event) => {
    try {
      Promise.resolve(listener(event)).catch(fail);
    } catch (error) {
      fail(error);
    }
  };
}
