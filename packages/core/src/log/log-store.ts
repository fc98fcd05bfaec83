import type { LogHeader, RunEvent } from "../contracts/event.ts";

/** Appends to one log. There is one writer a log at a time. */
export interface LogWriter {
  /** Hands whole lines to the kernel before it returns. Throws when they could not be written; then none was. */
  append(events: readonly RunEvent[]): void;
  /**
   * Resolves when what was appended may be acknowledged: it is as safe as the store promises. `critical` says that some of
   * it cannot be had again. Those who ask at the same time share one sync.
   */
  acknowledge(critical: boolean): Promise<void>;
  /** Before each sync to a disk this one is made: of what the events name and others keep. Left out where nothing is synced. */
  syncAfter?(sync: () => Promise<void>): void;
  close(): Promise<void>;
}

export type LogContent = { header: LogHeader; events: RunEvent[] };

/** A log that is read event by event, in constant memory. Iterating rejects with a {@link LogError} where it is damaged. */
export type LogStream = { header: LogHeader; events: AsyncIterable<RunEvent> };

export type StreamOptions = {
  /** Wait for what is appended, by whatever process, until nobody writes to the log any more. Default false. */
  follow?: boolean;
  /** Aborting it ends the iteration with the signal's reason. */
  signal?: AbortSignal;
};

/** Where logs are kept. */
export interface LogStore {
  readonly specificationVersion: "v1";
  /**
   * A new log, with the past of a run that was forked in it from the start: all of that or no log. Rejects with a
   * {@link LogError} `LOG_EXISTS` when the run has a log already.
   */
  create(header: LogHeader, past?: readonly RunEvent[]): Promise<LogWriter>;
  /**
   * Opens a log to go on with it. A torn last line is cut off, and a log of an older schema lifted. `LOG_BUSY` when another writes to it. `tookOver` is the
   * process id of a writer that died without closing the log.
   */
  open(runId: string): Promise<LogContent & { writer: LogWriter; tookOver: number | null }>;
  /** Rejects with a {@link NotFoundError}, or a {@link LogError} that names the damaged place. */
  read(runId: string): Promise<LogContent>;
  /** {@link read} in constant memory. Each iteration of the events reads them anew. */
  stream(runId: string, options?: StreamOptions): Promise<LogStream>;
  /** The ids of all runs, sorted. */
  runIds(): Promise<string[]>;
  /** Where a person finds the log; null when it is in memory. */
  location(runId: string): string | null;
}
