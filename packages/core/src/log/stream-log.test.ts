import { Readable } from "node:stream";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { RunEvent } from "../contracts/event.ts";
import { plainHeader as header } from "../testing/log-header.ts";
import { writeLine } from "./log-line.ts";
import { parseLog } from "./parse-log.ts";
import { streamLog } from "./stream-log.ts";

const event = (tsIndex: number): RunEvent => ({
  tsIndex,
  stepId: "run",
  key: `0.${tsIndex}`,
  kind: "agent",
  agent: "coder",
  payload: { type: "note", note: { text: "café ☕".repeat(tsIndex) } },
});
const data = Buffer.from([header, event(0), event(1), event(2)].map((line) => `${writeLine(line)}\n`).join(""));

function* pieces(log: Buffer, lengths: number[]) {
  let start = 0;
  for (const length of lengths) {
    yield log.subarray(start, start + length);
    start += length;
  }
  yield log.subarray(start);
}

/** What is read of a log that comes in pieces of these lengths, and the error that ends it. */
async function readIn(log: Buffer, lengths: number[]) {
  const events: RunEvent[] = [];
  try {
    const stream = await streamLog(Readable.from(pieces(log, lengths)));
    for await (const event of stream.events) events.push(event);
    return { header: stream.header, events };
  } catch (error) {
    return { events, error };
  }
}

test("a log that comes in pieces is the log as a whole", async () => {
  const { header, events } = parseLog(data);
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(200)), async (lengths) => {
      expect(await readIn(data, lengths)).toEqual({ header, events });
    }),
  );
});

test("what stands before the damage is given, then the error that names its place", async () => {
  const at = data.lastIndexOf("café");
  const before = data.lastIndexOf("\n", data.length - 2) + 1;
  const damaged = Buffer.concat([data.subarray(0, at), Buffer.from("k"), data.subarray(at + 1), data.subarray(before)]);
  const { events, error } = await readIn(damaged, [100, 1, 1000]);
  expect(events).toHaveLength(2);
  expect(error).toMatchObject({ code: "LOG_DAMAGED", line: 4, offset: before });
});

test("who leaves early closes the source", async () => {
  const source = Readable.from([data]);
  const { events } = await streamLog(source);
  for await (const _ of events) break;
  expect(source.destroyed).toBe(true);
});
