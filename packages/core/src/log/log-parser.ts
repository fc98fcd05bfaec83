import { z } from "zod";
import { LOG_SCHEMA, type LogHeader, LogHeaderSchema, type RunEvent, RunEventSchema } from "../contracts/event.ts";
import type { JsonObject } from "../contracts/json.ts";
import { LogError, messageOf } from "../errors.ts";
import { readLine, TornLine } from "./log-line.ts";
import { UPCASTERS, type Upcaster } from "./upcasters.ts";

const LINE_FEED = 0x0a;
const SAME: Upcaster = { header: (header) => header, event: (event) => event };
const BLANK: readonly number[] = [...Buffer.from(" \t\r\n")];

/**
 * Reads a log from its bytes as they come, cut anywhere: gives its header first, then its events. The last line counts when
 * it is whole, with or without its line feed; otherwise it is taken as not written. Damage anywhere else is a
 * {@link LogError} that names its place: nothing is read over.
 */
export class LogParser {
  #lines = 0;
  #schema: number = LOG_SCHEMA;
  #lift: Upcaster = SAME;
  #end = 0;
  /** Where the line begins that is read next, and what is there of it. */
  #start = 0;
  #parts: Uint8Array[] = [];
  /** What is wrong with a line that may be the torn last one: anything that follows makes it damage. */
  #suspect: LogError | null = null;

  /** Where what counts ends and the next line begins. */
  get end(): number {
    return this.#end;
  }

  /** The schema that the log has in its bytes; what is given is lifted to this version's. */
  get schema(): number {
    return this.#schema;
  }

  /** The lines that these bytes complete. The bytes are kept, so they must not change. */
  *push(bytes: Uint8Array): Generator<LogHeader | RunEvent> {
    let start = 0;
    for (let feed = bytes.indexOf(LINE_FEED); feed !== -1; feed = bytes.indexOf(LINE_FEED, start)) {
      this.#parts.push(bytes.subarray(start, feed));
      start = feed + 1;
      const value = this.#take(1);
      if (value) yield value;
    }
    if (start < bytes.length) this.#parts.push(bytes.subarray(start));
  }

  /** The last line, where it has no line feed. */
  *finish(): Generator<LogHeader | RunEvent> {
    const value = this.#parts.length > 0 && this.#take(0);
    if (value) yield value;
    if (this.#lines === 0) throw new LogError("LOG_DAMAGED", "the log has no header", { line: 1, offset: 0 });
  }

  /** Forgets what came after {@link end}, where the next bytes begin: whoever writes may have cut it off. */
  rewind(): void {
    this.#start = this.#end;
    this.#parts = [];
    this.#suspect = null;
  }

  #take(feed: 0 | 1): LogHeader | RunEvent | null {
    const bytes = this.#parts.length === 1 ? this.#parts[0]! : Buffer.concat(this.#parts);
    const place = { line: this.#lines + 1, offset: this.#start };
    this.#parts = [];
    this.#start += bytes.length + feed;
    if (isBlank(bytes)) {
      this.#suspect ??= damaged(place, "it is empty");
      return null;
    }
    if (this.#suspect) throw this.#suspect;
    try {
      const value = this.#lines === 0 ? this.#header(bytes) : this.#event(bytes, this.#lines - 1);
      this.#lines++;
      this.#end = this.#start;
      return value;
    } catch (error) {
      if (error instanceof LogError) throw error;
      const damage = damaged(place, messageOf(error));
      if (this.#lines === 0 || !(error instanceof TornLine)) throw damage;
      this.#suspect = damage;
      return null;
    }
  }

  #header(bytes: Uint8Array): LogHeader {
    const value = readLine(bytes) as JsonObject;
    if (typeof value["schema"] === "number") this.#schema = value["schema"];
    this.#lift = liftFrom(this.#schema);
    return checked(LogHeaderSchema, this.#lift.header(value));
  }

  #event(bytes: Uint8Array, expected: number): RunEvent {
    const event = checked(RunEventSchema, this.#lift.event(readLine(bytes) as JsonObject));
    if (event.tsIndex !== expected) throw new Error(`tsIndex is ${event.tsIndex} where ${expected} was due`);
    return event;
  }
}

export function isBlank(bytes: Uint8Array): boolean {
  return bytes.every((byte) => BLANK.includes(byte));
}

function damaged(place: { line: number; offset: number }, problem: string): LogError {
  const where = `line ${place.line} of the log, at byte ${place.offset},`;
  return new LogError("LOG_DAMAGED", `${where} is damaged: ${problem}`, place);
}

/** From one schema up to this version's. */
function liftFrom(schema: number): Upcaster {
  if (schema === LOG_SCHEMA) return SAME;
  const upcaster = UPCASTERS[schema];
  if (!upcaster) {
    const advice = schema > LOG_SCHEMA ? "update @swarm/core" : "this version is too new for it";
    const problem = `the log has schema ${schema}, and schema ${LOG_SCHEMA} is what can be read: ${advice}`;
    throw new LogError("LOG_SCHEMA", problem, { line: 1, offset: 0 });
  }
  const next = liftFrom(schema + 1);
  return {
    header: (header) => next.header({ ...upcaster.header(header), schema: schema + 1 }),
    event: (event) => next.event(upcaster.event(event)),
  };
}

function checked<T>(schema: z.ZodType<T>, value: unknown): T {
  const result = schema.safeParse(value);
  if (!result.success) throw new Error(z.prettifyError(result.error));
  return result.data;
}
