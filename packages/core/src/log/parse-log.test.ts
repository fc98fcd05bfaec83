import fc from "fast-check";
import { expect, test } from "vitest";
import type { RunEvent } from "../contracts/event.ts";
import { plainHeader as header } from "../testing/log-header.ts";
import { writeLine } from "./log-line.ts";
import { parseLog } from "./parse-log.ts";

const event = (tsIndex: number, text = "café ☕"): RunEvent => ({
  tsIndex,
  stepId: "run",
  key: `0.${tsIndex}`,
  kind: "agent",
  agent: "coder",
  payload: { type: "note", note: { text } },
});
const lines = [header, event(0), event(1), event(2)].map(writeLine);
const bytes = (text: string) => Buffer.from(text);

test("a whole log is read with and without its last line feed", () => {
  expect(parseLog(bytes(`${lines.join("\n")}\n`)).events).toHaveLength(3);
  expect(parseLog(bytes(lines.join("\n"))).events).toHaveLength(3);
});

test("a byte deleted anywhere in the last line loses only that line", () => {
  const before = bytes(`${lines.slice(0, -1).join("\n")}\n`);
  const last = bytes(`${lines.at(-1)}\n`);
  for (let at = 0; at < last.length - 1; at++) {
    const damaged = Buffer.concat([before, last.subarray(0, at), last.subarray(at + 1)]);
    expect(parseLog(damaged)).toMatchObject({ events: { length: 2 }, bytes: before.length, torn: true });
  }
});

test("a line cut anywhere is taken as not written", () => {
  fc.assert(
    fc.property(fc.nat(lines[3]!.length - 1), (length) => {
      const text = `${lines.slice(0, 3).join("\n")}\n${lines[3]!.slice(0, length)}`;
      expect(parseLog(bytes(text)).events).toHaveLength(2);
    }),
  );
});

const whole = bytes(lines.map((line) => `${line}\n`).join(""));
const events = parseLog(whole).events;

test("a log that is cut anywhere is read up to its last whole line", () => {
  const headerEnd = whole.indexOf("\n");
  fc.assert(
    fc.property(fc.integer({ min: headerEnd, max: whole.length }), (length) => {
      const { events: read, torn, bytes } = parseLog(whole.subarray(0, length));
      const feeds = whole.subarray(0, length + 1).filter((byte) => byte === 0x0a).length;
      expect(read).toEqual(events.slice(0, feeds - 1));
      expect(torn).toBe(length > bytes);
    }),
  );
});

test("a byte that is not as it was written is noticed, wherever it is", () => {
  fc.assert(
    fc.property(fc.nat(whole.length - 1), fc.integer({ min: 1, max: 255 }), (at, flip) => {
      const flipped = Buffer.from(whole);
      flipped[at] = flipped[at]! ^ flip;
      try {
        const { events: read, torn } = parseLog(flipped);
        expect(read).toEqual(events.slice(0, read.length));
        expect(torn).toBe(true);
        expect(at).toBeGreaterThanOrEqual(whole.lastIndexOf("\n", whole.length - 2)); // it is in the last line
      } catch (error) {
        expect(error).toMatchObject({ code: "LOG_DAMAGED", line: expect.any(Number), offset: expect.any(Number) });
      }
    }),
    { numRuns: 2000 },
  );
});

test("a torn line followed by blank lines is still only torn", () => {
  expect(parseLog(bytes(`${lines.slice(0, 3).join("\n")}\n${lines[3]!.slice(0, 9)}\n\n`)).events).toHaveLength(2);
});

test.each([
  ["a changed byte", [lines[0]!, lines[1]!.replace("café", "cafe"), lines[2]!], 2],
  ["a missing event", [lines[0]!, lines[2]!, lines[3]!], 2],
  ["an empty line", [lines[0]!, "", lines[1]!], 2],
  ["a missing event before the last", [lines[0]!, lines[1]!, lines[3]!], 3],
  ["no header", [lines[1]!, lines[2]!], 1],
])("damage in the middle is told with its line: %s", (_, damaged, line) => {
  expect(() => parseLog(bytes(damaged.join("\n")))).toThrowError(
    expect.objectContaining({ code: "LOG_DAMAGED", line }),
  );
});

test("a newer schema is refused with what to do", () => {
  const newer = writeLine({ ...header, schema: 2 as 1 });
  expect(() => parseLog(bytes(newer))).toThrowError(expect.objectContaining({ code: "LOG_SCHEMA" }));
});
