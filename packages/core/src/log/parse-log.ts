import { z } from "zod";
import { LOG_SCHEMA, type LogHeader, LogHeaderSchema, type RunEvent, RunEventSchema } from "../contracts/event.ts";
import { LogError, messageOf } from "../errors.ts";
import { readLine, TornLine } from "./log-line.ts";
import type { LogContent } from "./log-store.ts";

/** A log as text; `bytes` is the length of the part that counts, which ends before a torn last line. */
export type ParsedLog = LogContent & { bytes: number };

/**
 * Reads a log. The last line counts when it is whole, with or without its line feed; otherwise it is taken as not written.
 * A damaged line anywhere else is an error that names it: nothing is read over.
 */
export function parseLog(data: Uint8Array): ParsedLog {
  const lines = splitLines(data);
  const torn = lines.findLastIndex((line) => line.text.trim() !== "");
  let header: LogHeader | null = null;
  const events: RunEvent[] = [];
  let bytes = 0;
  for (const [index, line] of lines.entries()) {
    const number = index + 1;
    if (line.text.trim() === "") {
      if (index < torn) throw new LogError("LOG_DAMAGED", `line ${number} of the log is empty`, number);
      continue;
    }
    try {
      if (header === null) header = parseHeader(line.text);
      else events.push(parseEvent(line.text, events.length));
    } catch (error) {
      if (error instanceof LogError && error.code === "LOG_SCHEMA") throw error;
      if (index === torn && header !== null && error instanceof TornLine) break;
      throw new LogError("LOG_DAMAGED", `line ${number} of the log is damaged: ${messageOf(error)}`, number);
    }
    bytes = line.end;
  }
  if (header === null) throw new LogError("LOG_DAMAGED", "the log has no header", 1);
  return { header, events, bytes };
}

function splitLines(data: Uint8Array): { text: string; end: number }[] {
  const decoder = new TextDecoder();
  const lines: { text: string; end: number }[] = [];
  for (let start = 0; start < data.length; ) {
    const feed = data.indexOf(0x0a, start);
    const end = feed === -1 ? data.length : feed;
    lines.push({ text: decoder.decode(data.subarray(start, end)), end });
    start = end + 1;
  }
  return lines;
}

function parseHeader(text: string): LogHeader {
  const value = readLine(text);
  const schema = (value as { schema?: unknown } | null)?.schema;
  if (typeof schema === "number" && schema > LOG_SCHEMA) {
    throw new LogError(
      "LOG_SCHEMA",
      `the log has schema ${schema}, this version reads up to ${LOG_SCHEMA}: update @swarm/core`,
      1,
    );
  }
  return checked(LogHeaderSchema, value);
}

function parseEvent(text: string, expected: number): RunEvent {
  const event = checked(RunEventSchema, readLine(text));
  if (event.tsIndex !== expected) throw new Error(`tsIndex is ${event.tsIndex} where ${expected} was due`);
  return event;
}

function checked<T>(schema: z.ZodType<T>, value: unknown): T {
  const result = schema.safeParse(value);
  if (!result.success) throw new Error(z.prettifyError(result.error));
  return result.data;
}
