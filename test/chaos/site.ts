import { appendFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Executor, LocalExecutor, memoryLogStore, startRun, type Trajectory } from "@swarm/core";
import { httpExecutor, ProcessExecutor, type RemoteOptions } from "@swarm/executors";
import { bullmqExecutor } from "@swarm/executors/bullmq";
import { restateExecutor } from "@swarm/executors/restate";
import { loadTask } from "@swarm/tasks";
import { redisServer } from "../../packages/executors/test/redis-server.ts";
import { restateServer } from "../../packages/executors/test/restate-server.ts";
import type { Reached } from "../../packages/executors/test/serve-worker.ts";
import { freePort, WorkerPool } from "../../packages/executors/test/worker-pool.ts";
import { sweep } from "../../packages/sandbox/src/owned/sweep.ts";
import type { Network } from "./network.ts";
import { type Billed, type Told, teamOf } from "./team.ts";

export const EXECUTORS = ["process", "http", "bullmq", "restate"] as const;
export type ExecutorName = (typeof EXECUTORS)[number];

export const TASK = "page-window";
const WORKERS = 2;
const LEASE_MS = 3_000;
/** It beats once a second, and loads its team meanwhile. */
const PROCESS_LEASE_MS = 5_000;
const LOCK_MS = 2_000;
const TOKEN = "a token that is long enough";

export type Server = { kill(): Promise<void>; start(): Promise<void>; keys?(): string[] };
/** An executor with two workers, and the server between where there is one. */
export type Site = {
  executor: Executor;
  /** Each is told the worker by the name that its events have. */
  workers: { kill(worker: string): void; freeze(worker: string): void; thaw(worker: string): void };
  server: Server | null;
  /** A worker's folder, as if its machine had no other. */
  folderOf(worker: string): string;
  /** Which machine of the network it is on. */
  machineOf(worker: string): number;
  run(executor: Executor): Promise<Trajectory>;
  billed(): Billed[];
  /** Ends all that was started. */
  close(): Promise<void>;
};
type Wanted = {
  /** For all that the site keeps: emptied by the caller. */
  folder: string;
  poison?: string;
  /** The workers are machines of their own on it. */
  network?: Network;
  /** Where the workers have their folders. Default: in `folder`. */
  folders?: readonly string[];
  /** How long an attempt waits that no worker can begin. Default: the executor's own. */
  patienceMs?: number;
  /** Whether the server is killed before the first worker starts, so that only `server.start` begins it all. */
  serverLater?: boolean;
};

/** A site, or in words why there cannot be one here. */
export async function openSite(name: ExecutorName, wanted: Wanted): Promise<Site | string> {
  const folder = mkdtempSync(join(wanted.folder, `${name}-`));
  const ledger = join(folder, "ledger.jsonl");
  appendFileSync(ledger, "");
  const folders = wanted.folders ?? Array.from({ length: WORKERS }, (_, nth) => join(folder, `worker-${nth}`));
  const told = (own: string): Told => ({
    taskId: TASK,
    own: join(own, "objects"),
    shared: join(folder, "objects"),
    ledger,
    poison: wanted.poison ?? null,
  });
  const environment = (own: string) => {
    mkdirSync(join(own, "tmp"), { recursive: true });
    return { SWARM_CHAOS: JSON.stringify(told(own)), TMPDIR: join(own, "tmp") };
  };
  const made = await MAKERS[name]({ ...wanted, folder, folders, environment });
  if (typeof made === "string") return made;
  const { task } = await loadTask(TASK);
  const team = await teamOf({ ...told(join(folder, "run")), ledger: join(folder, "run.jsonl"), poison: null });
  return {
    ...made,
    machineOf: (worker) => made.machines[folders.indexOf(made.folderOf(worker))] ?? 0,
    run: (executor) => startRun(task, { team, store: memoryLogStore(), executor }).result,
    billed: () =>
      readFileSync(ledger, "utf8")
        .split("\n")
        .filter(Boolean)
        .map((line) => JSON.parse(line) as Billed),
    async close() {
      await made.close();
      for (const own of folders) await sweep(join(own, "tmp")); // as the next sandbox of that machine does
    },
  };
}

/** The run that all others are held against: here, and undisturbed. */
export async function undisturbed(folder: string): Promise<Trajectory> {
  const own = mkdtempSync(join(folder, "local-"));
  const { task } = await loadTask(TASK);
  const places = { own: join(own, "objects"), shared: join(own, "shared"), ledger: join(own, "ledger.jsonl") };
  const team = await teamOf({ taskId: TASK, poison: null, ...places });
  return await startRun(task, { team, store: memoryLogStore(), executor: new LocalExecutor() }).result;
}

/** Processes that have to do with a folder: that were started for it, or are in it. */
export function processesIn(folder: string): string[] {
  return readdirSync("/proc").filter((pid) => {
    if (!/^\d+$/.test(pid) || Number(pid) === process.pid) return false;
    try {
      const texts = ["cmdline", "environ"].map((name) => readFileSync(`/proc/${pid}/${name}`, "latin1"));
      return [...texts, readlinkSync(`/proc/${pid}/cwd`)].some((text) => text.includes(folder));
    } catch {
      return false; // it has just ended
    }
  });
}

type Made = Pick<Site, "executor" | "workers" | "server" | "folderOf" | "close"> & {
  /** The place of each worker's machine. */
  machines: readonly number[];
};
type Makings = Wanted & { folders: readonly string[]; environment(own: string): Record<string, string> };
type Maker = (makings: Makings) => Promise<Made | string>;

const MAKERS: Record<ExecutorName, Maker> = {
  async process({ folders: [own = ""], environment }) {
    const executor = new ProcessExecutor({
      module: new URL("team.ts", import.meta.url),
      execArgv: ["--conditions=@swarm/source"],
      env: environment(own),
      leaseMs: PROCESS_LEASE_MS,
    });
    const signal = (name: NodeJS.Signals) => (worker: string) => {
      try {
        process.kill(Number(worker), name);
      } catch {} // it has just ended
    };
    return {
      executor,
      workers: { kill: signal("SIGKILL"), freeze: signal("SIGSTOP"), thaw: signal("SIGCONT") },
      server: null,
      folderOf: () => own,
      machines: [0],
      close: () => executor.close(),
    };
  },

  async http(makings) {
    const ports = await Promise.all(Array.from({ length: WORKERS }, freePort));
    const hosts = ports.map((_, nth) => makings.network?.machine(nth).host ?? "127.0.0.1");
    const pool = new WorkerPool(PROGRAM);
    await startIn(pool, makings, [0, 1], (nth) => ({ by: "http", host: hosts[nth]!, port: ports[nth]!, token: TOKEN }));
    const workers = ports.map((port, nth) => ({ url: `http://${hosts[nth]}:${port}`, token: TOKEN }));
    const executor = httpExecutor({ workers, ...optionsOf(makings) });
    return siteOf(executor, pool, null, [0, 1]);
  },

  async bullmq(makings) {
    const redis = await redisServer(mkdtempSync(join(makings.folder, "redis-")), makings.network?.host);
    if (typeof redis === "string") return redis;
    const executor = bullmqExecutor({ connection: { url: redis.url }, ...optionsOf(makings) });
    const pool = new WorkerPool(PROGRAM);
    const machines = [0, 1];
    const reached = { by: "bullmq", url: redis.url, lockMs: LOCK_MS } as const;
    const startWorkers = () => startIn(pool, makings, machines, () => reached);
    return await startedSite(siteOf(executor, pool, redis, machines), startWorkers, makings);
  },

  async restate(makings) {
    const restate = await restateServer(mkdtempSync(join(makings.folder, "restate-")));
    if (typeof restate === "string") return restate;
    const executor = restateExecutor({ url: restate.url, ...optionsOf(makings) });
    const pool = new WorkerPool(PROGRAM);
    // on one machine: both are reached at one address
    const { host = "127.0.0.1" } = makings.network?.machine(0) ?? {};
    const port = await freePort();
    const machines = [0, 0];
    const reached = { by: "restate", host, port, identityKeys: [restate.identityKey] } as const;
    const startWorkers = async () => {
      await startIn(pool, makings, machines, () => reached);
      await restate.register(`http://${host}:${port}`);
    };
    return await startedSite(siteOf(executor, pool, restate, machines), startWorkers, makings);
  },
};

const PROGRAM = fileURLToPath(new URL("worker.ts", import.meta.url));

function optionsOf({ network, patienceMs }: Makings): RemoteOptions {
  return {
    leaseMs: LEASE_MS,
    ...(network ? { gate: { host: network.host } } : {}),
    ...(patienceMs === undefined ? {} : { patienceMs }),
  };
}

async function startIn(
  pool: WorkerPool,
  { folders, environment, network }: Makings,
  machines: readonly number[],
  reached: (nth: number) => Reached,
): Promise<void> {
  const starts = folders.map((own, nth) => {
    const within = network ? { within: network.machine(machines[nth]!).within } : {};
    return pool.start(reached(nth), { env: environment(own), ...within });
  });
  await Promise.all(starts);
}

/** With the workers at work, or all of it waiting for `server.start`. */
async function startedSite(
  site: Made & { server: Server },
  startWorkers: () => Promise<void>,
  { serverLater = false }: Makings,
): Promise<Made> {
  if (!serverLater) {
    await startWorkers();
    return site;
  }
  await site.server.kill();
  const start = async () => {
    await site.server.start();
    await startWorkers();
  };
  return { ...site, server: { ...site.server, start } };
}

function siteOf<S extends Server | null>(
  executor: Executor & AsyncDisposable,
  pool: WorkerPool,
  server: S,
  machines: readonly number[],
): Made & { server: S } {
  return {
    executor,
    workers: pool,
    server,
    machines,
    folderOf: (worker) => join(pool.startedAs(worker)?.env?.["TMPDIR"] ?? "", ".."),
    async close() {
      await executor[Symbol.asyncDispose]();
      await pool.close();
      await server?.kill();
    },
  };
}
