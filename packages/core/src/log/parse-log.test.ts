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
