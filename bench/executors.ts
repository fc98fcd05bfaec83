// What it costs to run steps elsewhere: the conformance team's run, whose model takes no time, on each executor with 1, 2 and 4
// workers of this machine, against the same run here. So a step is nothing but events, and all of the difference is the executor's.
// Redis and Restate are started where they can be had. Rounds take turns; their number and those of workers may be given: npm run -s bench -- executors 5 1 2 4
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Executor, LocalExecutor, memoryLogStore, runTask } from "@swarm/core";
import { conformanceTask, conformanceTeam } from "@swarm/core/testing";
import { httpExecutor, ProcessExecutor } from "@swarm/executors";
import { bullmqExecutor } from "@swarm/executors/bullmq";
import { restateExecutor } from "@swarm/executors/restate";
import { redisServer } from "../packages/executors/test/redis-server.ts";
import { restateServer } from "../packages/executors/test/restate-server.ts";
import { freePort, WorkerPool } from "../packages/executors/test/worker-pool.ts";
import { median, printTable } from "./lib/compare.ts";
import { wholeNumber } from "./lib/whole-number.ts";

const ROUNDS = wholeNumber("rounds", process.argv[2] ?? "5");
const WORKERS = (process.argv.length > 3 ? process.argv.slice(3) : ["1", "2", "4"]).map((text) =>
  wholeNumber("workers", text),
);
/** Runs that are under way at once, where runs a second are counted. */
const AT_ONCE = 8;

type Way = { name: string; executor: Executor; close(): Promise<void> };

const store = mkdtempSync(join(tmpdir(), "swarm-bench-executors-"));
const run = (executor: Executor) =>
  runTask(conformanceTask, { team: conformanceTeam({ store }), store: memoryLogStore(), executor });

async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

/** Workers that are reached in one way, with what brings them steps; or why there are none. */
async function ways(count: number): Promise<(Way | string)[]> {
  const pool = new WorkerPool();
  const ports = await Promise.all(Array.from({ length: count }, freePort));
  const token = "a token that is long enough";
  for (const port of ports) await pool.start({ by: "http", port, token, concurrency: 4 });
  const http = httpExecutor({ workers: ports.map((port) => ({ url: `http://127.0.0.1:${port}`, token })) });
  const name = (platform: string) => `${platform}, ${count} worker${count > 1 ? "s" : ""}`;
  const closing = (executor: { close(): Promise<void> }, workers: WorkerPool, server?: { kill(): Promise<void> }) =>
    async function close() {
      await executor.close();
      await workers.close();
      await server?.kill();
    };
  const made: (Way | string)[] = [{ name: name("HTTP"), executor: http, close: closing(http, pool) }];

  const redis = await redisServer(mkdtempSync(join(store, "redis-")));
  if (typeof redis === "string") made.push(redis);
  else {
    const workers = new WorkerPool();
    for (let nth = 0; nth < count; nth++) await workers.start({ by: "bullmq", url: redis.url, lockMs: 10_000 });
    const executor = bullmqExecutor({ connection: { url: redis.url } });
    made.push({ name: name("BullMQ"), executor, close: closing(executor, workers, redis) });
  }

  const restate = await restateServer(mkdtempSync(join(store, "restate-")));
  if (typeof restate === "string") made.push(restate);
  else {
    const workers = new WorkerPool();
    const port = await freePort();
    for (let nth = 0; nth < count; nth++) await workers.start({ by: "restate", port });
    await restate.register(`http://127.0.0.1:${port}`);
    const executor = restateExecutor({ url: restate.url });
    made.push({ name: name("Restate"), executor, close: closing(executor, workers, restate) });
  }
  return made;
}

const local: Way = { name: "here (LocalExecutor)", executor: new LocalExecutor(), close: async () => {} };
const forked = new ProcessExecutor({
  module: import.meta.resolve("../packages/core/src/testing/team.ts"),
  execArgv: ["--conditions=@swarm/source"],
});
const steps = (await run(local.executor)).events.filter(({ payload }) => payload.type === "step").length;
const rows: string[][] = [];

/** Rounds of one way and of the local executor in turn: what else the machine does meets both. */
async function measure({ name, executor }: Way, rounds: number, atOnce = AT_ONCE): Promise<void> {
  await run(executor); // once, so that connections are there
  const [own, here]: [number[], number[]] = [[], []];
  for (let round = 0; round < rounds; round++) {
    own.push(await timed(() => run(executor)));
    here.push(await timed(() => run(local.executor)));
  }
  const wall = await timed(() => Promise.all(Array.from({ length: atOnce }, () => run(executor))));
  const perStep = (values: readonly number[]) => median(values) / steps;
  rows.push([
    name,
    perStep(own).toFixed(2),
    `${(median(own) / median(here)).toFixed(1)} times`,
    (perStep(own) - perStep(here)).toFixed(2),
    `${(atOnce / (wall / 1000)).toFixed(1)} (${atOnce} at once)`,
  ]);
}

try {
  await measure(local, ROUNDS);
  for (const count of WORKERS) {
    for (const way of await ways(count)) {
      if (typeof way === "string") {
        rows.push([way, "not run", "", "", ""]);
        continue;
      }
      try {
        await measure(way, ROUNDS);
      } finally {
        await way.close();
      }
    }
  }
  await measure({ name: "a process for each attempt", executor: forked, close: async () => {} }, 1, 1); // starts are slow
  const head = ["executor", "ms a step", "of here", "ms a step more", "runs a second"];
  printTable(`A run of ${steps} steps without work in them (median of ${ROUNDS} rounds)`, head, rows);
} finally {
  rmSync(store, { recursive: true, force: true });
}
