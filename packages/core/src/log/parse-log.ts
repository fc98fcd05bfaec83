import type { LogHeader, RunEvent } from "../contracts/event.ts";
import { isBlank, LogParser } from "./log-parser.ts";
import type { LogContent } from "./log-store.ts";

/**
 * A log as a whole, lifted from the `schema` of its bytes to this version's. `bytes` is the length of what counts of it; what
 * follows, where it is `torn`, was never written whole.
 */
export type ParsedLog = LogContent & { schema: number; bytes: number; torn: boolean };

/** Reads a log that is in memory. Throws a {@link LogError} that names where it is damaged, if not in its last line. */
export function parseLog(data: Uint8Array): ParsedLog {
  const parser = new LogParser();
  const [header, ...events] = [...parser.push(data), ...parser.finish()] as [LogHeader, ...RunEvent[]];
  const { schema, end } = parser;
  return { header, events, schema, bytes: end, torn: !isBlank(data.subarray(end)) };
}
