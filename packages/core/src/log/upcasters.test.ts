import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { LogHeader, RunEvent } from "../contracts/event.ts";
import { plainHeader } from "../testing/log-header.ts";
import { fileLogStore } from "./file-log-store.ts";
import { streamLogFile } from "./log-file.ts";
import { writeLine } from "./log-line.ts";
import { parseLog } from "./parse-log.ts";

// schema 1 is the first that was released: the older ones are this test's
vi.mock("./upcasters.ts", () => ({
  UPCASTERS: {
    [-1]: {
      header: ({ id, ...header }: { id: string }) => ({ ...header, runId: id }),
      event: (event: object) => event,
    },
    0: {
      header: (header: object) => header,
      event: ({ place, ...event }: { place: number }) => ({ ...event, tsIndex: place, agent: null }),
    },
  },
}));

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "swarm-logs-"));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const event: RunEvent = {
  tsIndex: 0,
  stepId: "run",
  key: "0.0",
  kind: "agent",
  agent: null,
  payload: { type: "note", note: { text: "old" } },
};
const { tsIndex: place, agent: _, ...rest } = event;
const { runId: id, ...header } = plainHeader;
const written = (...lines: object[]) => lines.map((line) => `${writeLine(line as LogHeader)}\n`).join("");

test.each([
  ["a schema ago", written({ ...plainHeader, schema: 0 }, { place, ...rest })],
  ["two schemas ago", written({ ...header, id, schema: -1 }, { place, ...rest })],
])("a log of %s is lifted as it is read, whole or streamed", async (_, text) => {
  expect(parseLog(Buffer.from(text))).toMatchObject({ header: plainHeader, events: [event] });
  writeFileSync(join(directory, "r.jsonl"), text);
  const stream = await streamLogFile(join(directory, "r.jsonl"));
  expect([stream.header, ...(await Array.fromAsync(stream.events))]).toEqual([plainHeader, event]);
});

test("who goes on with an older log lifts the file, so that it has one schema", async () => {
  writeFileSync(join(directory, "r.jsonl"), written({ ...plainHeader, schema: 0 }, { place, ...rest }));
  const { writer, events } = await fileLogStore(directory).open("r");
  expect(events).toEqual([event]);
  writer.append([{ ...event, tsIndex: 1, key: "0.1" }]);
  await writer.close();
  expect(readFileSync(join(directory, "r.jsonl"), "utf8")).toBe(
    written(plainHeader, event, { ...event, tsIndex: 1, key: "0.1" }),
  );
});

test.each([
  [2, "update @swarm/core"],
  [-2, "this version is too new for it"],
])("schema %d is refused with what to do", (schema, advice) => {
  expect(() => parseLog(Buffer.from(written({ ...plainHeader, schema })))).toThrowError(
    expect.objectContaining({ code: "LOG_SCHEMA", message: expect.stringContaining(advice) }),
  );
});
