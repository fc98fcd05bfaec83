// What it costs to run steps elsewhere. First steps that do nothing, beside as many by what brings them there without Swarm: a job of
// BullMQ, a durable action of Restate, a request over HTTP, a process that ends. Then the conformance team's run, whose model takes no
// time: a step is nothing but events there. Each with 1, 2 and 4 workers of this machine, in rounds that take turns. Redis and Restate
// are started where they can be had. Rounds and numbers of workers may be given: npm run -s bench -- executors 5 1 2 4
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Executor, type JsonObject, LocalExecutor, memoryLogStore, runTask } from "@swarm/core";
import { conformanceTask } from "@swarm/core/testing";
import { httpExecutor, ProcessExecutor } from "@swarm/executors";
import { bullmqExecutor } from "@swarm/executors/bullmq";
import { restateExecutor } from "@swarm/executors/restate";
import { balance } from "../packages/cli/src/up/balancer.ts";
import { BARE_WORKER, type Bare, bareSteps } from "../packages/executors/test/bare.ts";
import { redisServer } from "../packages/executors/test/redis-server.ts";
import { restateServer } from "../packages/executors/test/restate-server.ts";
import { freePort, WorkerPool } from "../packages/executors/test/worker-pool.ts";
import { median, printTable } from "./lib/compare.ts";
import { cpuOfAll } from "./lib/executors/cpu-of-all.ts";
import { makeTeam } from "./lib/executors/teams.ts";
import { wholeNumber } from "./lib/whole-number.ts";

const ROUNDS = wholeNumber("rounds", process.argv[2] ?? "5");
const WORKERS = (process.argv.length > 3 ? process.argv.slice(3) : ["1", "2", "4"]).map((text) =>
  wholeNumber("workers", text),
);
const STEPS = 50;
/** What is under way at once where steps and runs a second are counted: as much as one worker performs at once. */
const AT_ONCE = 8;
const TOKEN = "a token that is long enough";

const store = mkdtempSync(join(tmpdir(), "swarm-bench-executors-"));
const local = new LocalExecutor();

/** An executor beside what it stands on. */
type Way = { name: string; executor: Executor; bare: Bare; steps: number; atOnce: number };
type Open = { way: Way; close(): Promise<void> };
type Platform = (count: number, closing: (() => Promise<unknown>)[]) => Promise<Omit<Way, "steps" | "atOnce"> | string>;

/** Worker processes that end with the way; `program`: the bare ones, else those of Swarm. */
async function pool(closing: (() => Promise<unknown>)[], program?: string): Promise<WorkerPool> {
  const workers = new WorkerPool(program ?? fileURLToPath(new URL("./lib/executors/worker.ts", import.meta.url)));
  closing.push(() => workers.close());
  return workers;
}

const ports = (count: number) => Promise.all(Array.from({ length: count }, freePort));
const at = (port: number) => `http://127.0.0.1:${port}`;

const PLATFORMS: Record<string, Platform> = {
  async HTTP(count, closing) {
    const [swarm, bare] = [await pool(closing), await pool(closing, BARE_WORKER)];
    const [own, others] = [await ports(count), await ports(count)];
    for (const port of own) await swarm.start({ by: "http", port, token: TOKEN, concurrency: AT_ONCE });
    for (const port of others) await bare.start({ by: "http", port, token: TOKEN });
    const executor = httpExecutor({ workers: own.map((port) => ({ url: at(port), token: TOKEN })) });
    closing.unshift(() => executor.close());
    return { name: "HTTP", executor, bare: await bareSteps("http", others.map(at)) };
  },

  async BullMQ(count, closing) {
    const redis = await redisServer(mkdtempSync(join(store, "redis-")));
    if (typeof redis === "string") return redis;
    const [swarm, bare] = [await pool(closing), await pool(closing, BARE_WORKER)];
    closing.push(() => redis.kill());
    for (const workers of [swarm, bare])
      for (let nth = 0; nth < count; nth++)
        await workers.start({ by: "bullmq", url: redis.url, lockMs: 10_000, concurrency: AT_ONCE });
    const executor = bullmqExecutor({ connection: { url: redis.url } });
    closing.unshift(() => executor.close());
    return { name: "BullMQ", executor, bare: await bareSteps("bullmq", [redis.url]) };
  },

  /** Workers are behind the balancer that `swarm up` puts before them. */
  async Restate(count, closing) {
    const restate = await restateServer(mkdtempSync(join(store, "restate-")));
    if (typeof restate === "string") return restate;
    for (const workers of [await pool(closing), await pool(closing, BARE_WORKER)]) {
      const own = await ports(count);
      for (const port of own) await workers.start({ by: "restate", port, concurrency: AT_ONCE });
      const balancer = await balance(() => own.map(at));
      closing.push(async () => balancer.close());
      await restate.register(at(balancer.port));
    }
    closing.push(() => restate.kill());
    const executor = restateExecutor({ url: restate.url });
    closing.unshift(() => executor.close());
    return { name: "Restate", executor, bare: await bareSteps("restate", [restate.url]) };
  },
};

/** With what ends it, from the first to the last. */
async function open(name: string, count: number): Promise<Open | string> {
  const closing: (() => Promise<unknown>)[] = [];
  const close = async () => {
    for (const end of closing.splice(0)) await end();
  };
  const way = await PLATFORMS[name]!(count, closing);
  if (typeof way === "string") return way;
  closing.unshift(() => way.bare.close());
  return { way: { ...way, name: `${name}, ${count}`, steps: STEPS, atOnce: AT_ONCE }, close };
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

async function inSequence(count: number, work: () => Promise<unknown>): Promise<void> {
  for (let nth = 0; nth < count; nth++) await work();
}
const atOnce = (count: number, work: () => Promise<unknown>) => Promise.all(Array.from({ length: count }, work));

const run = async (executor: Executor, name: string, config: JsonObject) => {
  const team = makeTeam({ name, config });
  const { events } = await runTask(conformanceTask, { team, store: memoryLogStore(), executor });
  return events.filter(({ payload }) => payload.type === "result" && payload.result.ok).length;
};
const conformance = (executor: Executor) => run(executor, "conformance", { store });

async function idle(executor: Executor, steps: number): Promise<void> {
  const done = await run(executor, "idle", { steps });
  if (done !== steps) throw new Error(`${done} of ${steps} steps were done`);
}

type Row = {
  name: string;
  step: number;
  bare: number;
  more: number;
  /** Milliseconds of processor a step, and a bare one: of all processes. */
  cpu: number;
  bareCpu: number;
  many: number;
  manyBare: number;
  runs: number;
};

/** Rounds of an executor, of what it stands on and of the local one in turn: what else the machine does meets all of them. */
async function measure({ name, executor, bare, steps, atOnce: count }: Way): Promise<Row> {
  const own = () => idle(executor, steps);
  const others = () => inSequence(steps, bare.step);
  const ways = {
    step: own,
    bare: others,
    here: () => idle(local, steps),
    many: () => atOnce(count, own),
    manyBare: () => atOnce(count, others),
    runs: () => atOnce(count, () => conformance(executor)),
  };
  const times = Object.fromEntries(Object.keys(ways).map((way) => [way, [] as number[]]));
  const cpus: Record<string, number> = {};
  for (let round = 0; round <= ROUNDS; round++)
    for (const [way, work] of Object.entries(ways)) {
      const before = cpuOfAll();
      const ms = await timed(work);
      if (round === 0) continue; // it opens connections
      times[way]!.push(ms);
      cpus[way] = (cpus[way] ?? 0) + cpuOfAll() - before;
    }
  const cpu = (way: keyof typeof ways) => (cpus[way] ?? Number.NaN) / (ROUNDS * steps);
  const of = (way: keyof typeof ways) => median(times[way]!);
  return {
    name,
    step: of("step") / steps,
    bare: of("bare") / steps,
    more: (of("step") - of("here")) / steps,
    cpu: cpu("step"),
    bareCpu: cpu("bare"),
    many: of("many") / (steps * count),
    manyBare: of("manyBare") / (steps * count),
    runs: (count * 1_000) / of("runs"),
  };
}

function cells({ name, step, bare, more, cpu, bareCpu, many, manyBare, runs }: Row): string[] {
  const perSecond = (ms: number) => (1_000 / ms).toFixed(0);
  return [
    name,
    step.toFixed(2),
    bare.toFixed(2),
    (step / bare).toFixed(2),
    (more / bare).toFixed(2),
    cpu.toFixed(2),
    bareCpu.toFixed(2),
    (cpu / bareCpu).toFixed(2),
    perSecond(many),
    perSecond(manyBare),
    (many / manyBare).toFixed(2),
    runs.toFixed(1),
  ];
}

const rows: string[][] = [];
const tell = (row: string[]) => {
  rows.push(row);
  process.stderr.write(`${row.join(" | ")}\n`);
};
try {
  await idle(local, STEPS);
  const here = await timed(() => inSequence(ROUNDS, () => idle(local, STEPS)));
  const runs = await timed(() => inSequence(ROUNDS, () => atOnce(AT_ONCE, () => conformance(local))));
  const ms = here / (ROUNDS * STEPS);
  tell([
    "here (Local)",
    ms.toFixed(2),
    "",
    "",
    "",
    "",
    "",
    "",
    (1_000 / ms).toFixed(0),
    "",
    "",
    ((ROUNDS * AT_ONCE * 1_000) / runs).toFixed(1),
  ]);
  for (const platform of Object.keys(PLATFORMS)) {
    for (const count of WORKERS) {
      const opened = await open(platform, count);
      if (typeof opened === "string") {
        tell([opened, "not run", "", "", "", "", "", "", "", "", "", ""]);
        continue;
      }
      try {
        tell(cells(await measure(opened.way)));
      } finally {
        await opened.close();
      }
    }
  }
  const module = new URL("./lib/executors/teams.ts", import.meta.url);
  for (const count of WORKERS) {
    const executor = new ProcessExecutor({ module, execArgv: ["--conditions=@swarm/source"] });
    const bare = await bareSteps("process", []);
    tell(cells(await measure({ name: `Process, ${count}`, executor, bare, steps: 20, atOnce: count })));
  }
  const head = [
    "steps by, workers",
    "ms a step",
    "bare",
    "times bare",
    "beyond here, times bare",
    "CPU ms a step",
    "bare",
    "times bare",
    "steps a second",
    "bare",
    "cost, times bare",
    "conformance runs a second",
  ];
  printTable(
    `Steps that do nothing: one after another, and ${AT_ONCE} at once (medians of ${ROUNDS} rounds)`,
    head,
    rows,
  );
} finally {
  rmSync(store, { recursive: true, force: true });
}
