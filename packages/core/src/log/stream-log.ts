import type { LogHeader, RunEvent } from "../contracts/event.ts";
import { LogParser } from "./log-parser.ts";
import type { LogStream } from "./log-store.ts";

/** A log line by line, its header first. */
export type LogLines = AsyncGenerator<LogHeader | RunEvent, void>;

/**
 * Reads a log from its bytes as they come, such as a file's or an answer's, in constant memory. Rejects, as does iterating
 * the events, with a {@link LogError} that names the damaged place, and with what `chunks` throws. The events can be
 * iterated once; who leaves them early closes `chunks`.
 */
export async function streamLog(chunks: AsyncIterable<Uint8Array>): Promise<LogStream> {
  const lines = linesOf(chunks);
  return { header: await headerOf(lines), events: lines as AsyncIterable<RunEvent> };
}

/** The stream of a log that `open` opens anew for each iteration of the events. */
export async function streamAnew(open: () => LogLines): Promise<LogStream> {
  const lines = open();
  const header = await headerOf(lines);
  await lines.return();
  return { header, events: { [Symbol.asyncIterator]: () => eventsOf(open()) } };
}

async function* linesOf(chunks: AsyncIterable<Uint8Array>): LogLines {
  const parser = new LogParser();
  for await (const chunk of chunks) yield* parser.push(chunk);
  yield* parser.finish();
}

/** The parser gives nothing before the header, and no end without one. */
async function headerOf(lines: LogLines): Promise<LogHeader> {
  return (await lines.next()).value as LogHeader;
}

async function* eventsOf(lines: LogLines): AsyncGenerator<RunEvent, void> {
  try {
    await headerOf(lines);
    yield* lines as AsyncIterable<RunEvent>;
  } finally {
    await lines.return();
  }
}
