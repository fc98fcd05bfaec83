import { appendFileSync, closeSync, openSync } from "node:fs";
import { dirname } from "node:path";
import type { RunEvent } from "@swarm/core";
import { makeFolder } from "@swarm/core";
import pino, { type Logger, type StreamEntry } from "pino";
import type { Output } from "../io.ts";
import type { Mask } from "../settings/secrets.ts";
import type { LogLevel } from "../settings/settings.ts";
import { OpenCalls } from "../view/open-calls.ts";
import type { RunFacts } from "../view/opening.ts";
import { afterTheEnd, logRecords } from "./log-records.ts";

export type RunLogOptions = {
  /** Where every record goes. Made, with its folder, at the first event. */
  file: string;
  /** Asked for when the first event is there. */
  facts: () => RunFacts;
  mask: Mask;
  /** Where the records of at least this level go too. */
  also: { stream: Output; level: LogLevel } | null;
};

/** A run's structured log: JSON lines, made from its events as they come. */
export class RunLog {
  /** The first error of the file, which ends its writing: the run goes on without it. */
  fileError: unknown = null;
  readonly #options: RunLogOptions;
  readonly #calls = new OpenCalls();
  #open: { facts: RunFacts; logger: Logger } | null = null;
  #descriptor: number | null = null;

  constructor(options: RunLogOptions) {
    this.#options = options;
  }

  tell(event: RunEvent): void {
    const { facts, logger } = this.#opened();
    this.#calls.begin(event);
    const call = this.#calls.end(event)?.call ?? null;
    for (const { level, ...record } of logRecords(event, { facts, call })) logger[level](record);
  }

  /** That the run's cost report could not be written, which is in no event. */
  costReportFailed(reason: string): void {
    this.#afterTheEnd("cost_report_failed", reason);
  }

  /** That what the run did could not be kept in memory, likewise. */
  memoryFailed(reason: string): void {
    this.#afterTheEnd("memory_failed", reason);
  }

  #afterTheEnd(event: "cost_report_failed" | "memory_failed", reason: string): void {
    const { facts, logger } = this.#opened();
    const { level, ...record } = afterTheEnd(event, facts.runId, new Date().toISOString(), reason);
    logger[level](record);
  }

  close(): void {
    if (this.#descriptor !== null) closeSync(this.#descriptor);
    this.#descriptor = null;
  }

  #opened() {
    this.#open ??= this.#begin();
    return this.#open;
  }

  #begin() {
    const { mask, also, facts } = this.#options;
    const streams: StreamEntry[] = [{ level: "debug", stream: { write: (line) => this.#write(mask(line)) } }];
    if (also) streams.push({ level: also.level, stream: { write: (line) => void also.stream.write(mask(line)) } });
    const logger = pino(
      {
        level: "debug",
        timestamp: false, // a record has its event's
        base: null,
        formatters: { level: (level) => ({ level }) },
      },
      pino.multistream(streams),
    );
    return { facts: facts(), logger };
  }

  #write(line: string): void {
    if (this.fileError !== null) return;
    try {
      this.#descriptor ??= this.#openFile();
      appendFileSync(this.#descriptor, line);
    } catch (error) {
      this.fileError = error;
    }
  }

  #openFile(): number {
    const { file } = this.#options;
    makeFolder(dirname(file));
    return openSync(file, "w"); // a run that is resumed tells its past again
  }
}
