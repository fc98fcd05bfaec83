// What the log costs: events appended, with and without their way to the disk, and read back, against plain appending.
import { appendFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileLogStore, LOG_SCHEMA, type LogHeader, parseLog, type RunEvent, writeLine } from "@swarm/core";
import { compare } from "./lib/compare.ts";

const folder = mkdtempSync(join(tmpdir(), "swarm-bench-"));
const store = fileLogStore(folder);
const header: LogHeader = {
  schema: LOG_SCHEMA,
  runId: "bench",
  task: { id: "bench", prompt: "none" },
  taskSha256: "0",
  base: "0",
  team: { name: "bench", version: "1", config: {} },
  limits: {},
  prices: {},
  tier: "none",
  parent: null,
  measured: {},
};
const event = (tsIndex: number): RunEvent => ({
  tsIndex,
  stepId: "run/implement",
  key: `0.${tsIndex}`,
  kind: "tool",
  agent: "coder",
  payload: {
    type: "end",
    of: `0.${tsIndex - 1}`,
    value: { ok: true, output: "x".repeat(400) },
    fault: null,
    snapshot: "0".repeat(64),
    measured: { ms: 3 },
  },
});

let runs = 0;
const newWriter = () => store.create({ ...header, runId: `run-${runs++}` });

const COUNT = 5_000;
const events = Array.from({ length: COUNT }, (_, index) => event(index));
await compare("Appending events of about 600 bytes, one at a time", "event", COUNT, [
  {
    name: "appendFileSync of JSON",
    round: () => {
      const file = join(folder, `plain-${runs++}.jsonl`);
      for (const event of events) appendFileSync(file, `${JSON.stringify(event)}\n`);
    },
  },
  {
    name: "log, handed to the kernel",
    round: async () => {
      const writer = await newWriter();
      for (const event of events) writer.append([event]);
      await writer.close();
    },
  },
]);

const FEW = 100;
await compare("The same, synced to disk", "event", FEW, [
  {
    name: "log, handed to the kernel",
    round: async () => {
      const writer = await newWriter();
      for (const event of events.slice(0, FEW)) writer.append([event]);
      await writer.close();
    },
  },
  {
    name: "log, each event synced",
    round: async () => {
      const writer = await newWriter();
      for (const event of events.slice(0, FEW)) {
        writer.append([event]);
        await writer.acknowledge(true);
      }
      await writer.close();
    },
  },
]);

const text = Buffer.from([header, ...events].map((line) => `${writeLine(line)}\n`).join(""));
await compare("Reading a log back", "event", COUNT, [
  {
    name: "JSON.parse of each line",
    round: () =>
      void text
        .toString()
        .split("\n")
        .filter(Boolean)
        .map((line) => JSON.parse(line)),
  },
  { name: "parseLog: checksum and schema", round: () => void parseLog(text) },
]);

rmSync(folder, { recursive: true });
