import type { LogHeader, RunEvent } from "../contracts/event.ts";
import { LogParser } from "./log-parser.ts";
import type { LogStream } from "./log-store.ts";

/**
 * Reads a log from its bytes as they come, such as a file's or an answer's, in constant memory. Rejects, as does iterating
 * the events, with a {@link LogError} that names the damaged place, and with what `chunks` throws. The events can be
 * iterated once; who leaves them early closes `chunks`.
 */
export async function streamLog(chunks: AsyncIterable<Uint8Array>): Promise<LogStream> {
  const lines = linesOf(chunks);
  const header = (await lines.next()).value as LogHeader;
  return { header, events: lines as AsyncIterable<RunEvent> };
}

/** {@link streamLog} of what `open` opens, anew for each iteration of the events. */
export async function streamAnew(open: () => AsyncIterable<Uint8Array>): Promise<LogStream> {
  const lines = linesOf(open());
  const header = (await lines.next()).value as LogHeader;
  await lines.return(null);
  return {
    header,
    events: {
      async *[Symbol.asyncIterator]() {
        yield* (await streamLog(open())).events;
      },
    },
  };
}

async function* linesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<LogHeader | RunEvent> {
  const parser = new LogParser();
  for await (const chunk of chunks) yield* parser.push(chunk);
  yield* parser.finish();
}
