// What the log costs: events appended under each durability, by the log alone and through a run, read back, and a million folded.

import { once } from "node:events";
import { appendFileSync, createWriteStream, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  asJson,
  type Durability,
  fileLogStore,
  Ledger,
  LOG_SCHEMA,
  type LogHeader,
  memoryLogStore,
  parseLog,
  type RunEvent,
  runTask,
  streamLogFile,
  writeLine,
} from "@swarm/core";
import { conformanceTask, conformanceTeam } from "@swarm/core/testing";
import { directoryBlobs } from "@swarm/sandbox";
import { compare, printTable } from "./lib/compare.ts";

const folder = mkdtempSync(join(tmpdir(), "swarm-bench-"));
const DURABILITIES: readonly Durability[] = ["kernel", "critical", "all"];
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
const newRun = () => `run-${runs++}`;
const COUNT = 5_000;
const events = Array.from({ length: COUNT }, (_, index) => event(index));
/** As in a run: every fourth event cannot be had again. */
const isCritical = ({ tsIndex }: RunEvent) => tsIndex % 4 === 0;

/** Appends events, one at a time in each of `lanes`, each acknowledged before its lane goes on. */
async function append(durability: Durability, count: number, lanes = 1): Promise<void> {
  const writer = await fileLogStore(folder, { durability }).create({ ...header, runId: newRun() });
  let next = 0;
  const lane = async () => {
    while (next < count) {
      const event = events[next++]!;
      writer.append([event]);
      await writer.acknowledge(isCritical(event));
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  await writer.close();
}

await compare("Appending events of about 600 bytes, one at a time", "event", COUNT, [
  {
    name: "appendFileSync of JSON",
    round: () => {
      const file = join(folder, `plain-${runs++}.jsonl`);
      for (const event of events) appendFileSync(file, `${JSON.stringify(event)}\n`);
    },
  },
  { name: "log, kernel", round: () => append("kernel", COUNT) },
]);

const FEW = 200;
await compare(
  `The same by what is synced to disk; one event in four is critical`,
  "event",
  FEW,
  DURABILITIES.flatMap((durability) =>
    [1, 8].map((lanes) => ({
      name: `log, ${durability}, ${lanes === 1 ? "1 lane" : `${lanes} lanes at once`}`,
      round: () => append(durability, FEW, lanes),
    })),
  ),
);

/** The same with new blobs put before each critical event, as many as a model call names in a run of a few files. */
async function appendWithBlobs(durability: Durability, perEvent: number): Promise<void> {
  const runId = newRun();
  const writer = await fileLogStore(folder, { durability }).create({ ...header, runId });
  const blobs = directoryBlobs(join(folder, "objects"));
  writer.syncAfter?.(async () => await blobs.sync?.());
  for (const event of events.slice(0, FEW)) {
    const critical = isCritical(event);
    for (let nth = 0; critical && nth < perEvent; nth++) await blobs.put(`${runId} ${event.tsIndex} ${nth}`);
    writer.append([event]);
    await writer.acknowledge(critical);
  }
  await writer.close();
}

await compare(
  "The same with blobs, which are synced with the log that names them",
  "event",
  FEW,
  (["kernel", "critical"] as const).flatMap((durability) =>
    [0, 1, 3].map((perEvent) => ({
      name: `log, ${durability}, ${perEvent} new blobs a critical event`,
      round: () => appendWithBlobs(durability, perEvent),
    })),
  ),
);

/** A run whose workflow does nothing but note, so that each event is redacted, checked, counted and appended. */
const noting = (count: number) => ({
  ...conformanceTeam(),
  async workflow(run: Parameters<ReturnType<typeof conformanceTeam>["workflow"]>[0]) {
    for (let index = 0; index < count; index++) await run.note("coder", asJson(events[index]!.payload));
    return null;
  },
});
const run = (store: ReturnType<typeof memoryLogStore>) => runTask(conformanceTask, { team: noting(COUNT), store });
await compare("The same through a whole run: redacted, checked and counted", "event", COUNT, [
  { name: "run, memory", round: async () => void (await run(memoryLogStore())) },
  { name: "run, kernel", round: async () => void (await run(fileLogStore(folder, { durability: "kernel" }))) },
]);

const file = join(folder, "read.jsonl");
appendFileSync(file, [header, ...events].map((line) => `${writeLine(line)}\n`).join(""));
await compare("Reading a log back", "event", COUNT, [
  {
    name: "JSON.parse of each line",
    round: () => {
      for (const line of readFileSync(file, "utf8").split("\n")) if (line) JSON.parse(line);
    },
  },
  { name: "parseLog: checksum and schema", round: () => void parseLog(readFileSync(file)) },
  {
    name: "stream: the same in constant memory",
    round: async () => {
      for await (const _ of (await streamLogFile(file)).events);
    },
  },
]);

const MANY = 1_000_000;
const many = join(folder, "many.jsonl");
await writeMany(many);
const memory: number[] = [];
const started = { at: performance.now(), cpu: process.cpuUsage() };
const ledger = new Ledger(header.prices);
for await (const event of (await streamLogFile(many)).events) {
  ledger.apply(event);
  if (event.tsIndex % 100_000 === 0) memory.push(process.memoryUsage().rss);
}
const seconds = (performance.now() - started.at) / 1000;
const { user, system } = process.cpuUsage(started.cpu);
const megabytes = (bytes: number) => `${Math.round(bytes / 2 ** 20)} MB`;
printTable(
  `Streaming and folding ${MANY.toLocaleString("en")} events into what the run spent`,
  ["seconds", "of them CPU", "events a second", "memory least", "memory most"],
  [
    [
      seconds.toFixed(1),
      ((user + system) / 1e6).toFixed(1),
      Math.round(MANY / seconds).toLocaleString("en"),
      megabytes(Math.min(...memory)),
      megabytes(Math.max(...memory)),
    ],
  ],
);

async function writeMany(path: string): Promise<void> {
  const out = createWriteStream(path);
  out.write(`${writeLine(header)}\n`);
  for (let from = 0; from < MANY; from += 1000) {
    const lines = Array.from({ length: 1000 }, (_, index) => `${writeLine(event(from + index))}\n`);
    if (!out.write(lines.join(""))) await once(out, "drain");
  }
  out.end();
  await once(out, "close");
}

rmSync(folder, { recursive: true });
