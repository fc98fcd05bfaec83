import { once } from "node:events";
import { setTimeout } from "node:timers/promises";
import { checkInput, type Json, messageOf, SwarmError, type TeamRef } from "@swarm/core";
import type { ConnectionOptions, Queue, Worker as QueueWorker } from "bullmq";
import { loadClient } from "./load-client.ts";
import type { Carrier } from "./remote/carrier.ts";
import { type Delivery, DeliverySchema } from "./remote/delivery.ts";
import { RemoteExecutor, type RemoteOptions } from "./remote/remote-executor.ts";
import { requireServed } from "./remote/require-served.ts";
import { untilThere } from "./remote/until-there.ts";
import type { Worker } from "./worker/create-worker.ts";

/** Loaded by who uses it: to import this module does nothing. */
const load = () => loadClient("bullmq and ioredis", () => import("bullmq"));

export type BullmqQueue = {
  /** Redis, as BullMQ takes it, such as `{ url: "redis://127.0.0.1:6379" }`. Whoever can write to it can give workers work. */
  connection: ConnectionOptions;
  /** The queue's name: workers of different teams or versions are told apart by it. Default `swarm`. */
  queue?: string;
};

const DEFAULT_QUEUE = "swarm";
/** A worker that takes nothing now leaves the attempt to others, as often as it takes: the gate bounds what is begun. */
const RETRIES = { attempts: 1_000, backoff: { type: "fixed", delay: 200 } };

/** Brings attempts to workers by a queue on Redis. `close` it when no run uses it any more. */
export function bullmqExecutor({ connection, queue, ...options }: BullmqQueue & RemoteOptions): RemoteExecutor {
  return new RemoteExecutor(bullmqCarrier({ connection, ...(queue === undefined ? {} : { queue }) }), options);
}

function bullmqCarrier({ connection, queue: name = DEFAULT_QUEUE }: BullmqQueue): Carrier {
  let opened: Promise<Queue> | null = null;

  async function open(): Promise<Queue> {
    const { Queue } = await load();
    const queue = new Queue(name, { connection });
    queue.on("error", () => {}); // it reconnects; what could not be done meanwhile rejects
    await readyOrFailed(queue, connection);
    return queue;
  }
  const queue = async () => {
    opened ??= open();
    try {
      return await opened;
    } catch (error) {
      opened = null;
      throw error;
    }
  };

  async function submit(delivery: Delivery): Promise<void> {
    const options = { jobId: delivery.id, removeOnComplete: true, removeOnFail: true, ...RETRIES };
    try {
      await (await queue()).add("attempt", delivery, options);
    } catch (cause) {
      throw new SwarmError("PLATFORM_FAILED", `the queue ${name} does not take an attempt: ${messageOf(cause)}`, {
        cause,
      });
    }
  }

  return {
    async preflight(team) {
      const workers = await (await queue()).getWorkers().catch(() => null); // not every Redis lets its clients be listed
      if (workers?.length === 0) throw noWorkerAt(name, connection, team);
      const served = workers?.map(({ rawname }) => servedBy(rawname)) ?? [null];
      if (served.every((teams) => teams !== null)) requireServed(team, served.flat());
    },
    submit,
    /** The queue brings a job again whose worker was lost. Only one that it has forgotten is put in anew. */
    async submitAgain(delivery) {
      const job = await (await queue()).getJob(delivery.id);
      if (job) return false;
      await submit(delivery);
      return true;
    },
    async withdraw({ id }) {
      await (await opened)?.remove(id); // unless a worker has it: that one learns that the attempt is over
    },
    async close() {
      await (await opened?.catch(() => null))?.close();
      opened = null;
    },
  };
}

export type BullmqWorkerOptions = BullmqQueue & {
  /** A worker that does not renew its hold of a job for so long is lost, and the job another's. Default 10,000. */
  lockMs?: number;
  /** How long a Redis that is not there at first is waited for. Default 5,000. */
  readyMs?: number;
};

/** How long a Redis may take to answer where nothing refuses the connection either. */
const CONNECT_MS = 4_000;

/** To begin with there has to be a Redis; one that goes away later is waited for. */
async function readyOrFailed(client: Queue | QueueWorker, connection: ConnectionOptions): Promise<void> {
  const over = new AbortController();
  const { signal } = over;
  const failed = once(client, "error", { signal }).then(([error]) => Promise.reject(error));
  const late = setTimeout(CONNECT_MS, null, { signal }).then(() => Promise.reject(new Error("nothing answers")));
  for (const promise of [failed, late]) promise.catch(() => {});
  try {
    await Promise.race([client.waitUntilReady(), failed, late]);
  } catch (cause) {
    void client.close(true).catch(() => {}); // it waits for its connection first
    const problem = `there is no Redis at ${addressOf(connection)} (${messageOf(cause)}); start one there`;
    throw new SwarmError("PLATFORM_FAILED", problem, { cause });
  } finally {
    over.abort();
  }
}

/** Without user and password. */
function addressOf(connection: ConnectionOptions): string {
  const { url, host = "127.0.0.1", port = 6379 } = connection as { url?: string; host?: string; port?: number };
  return url === undefined ? `${host}:${port}` : `${URL.parse(url)?.host || url}`;
}

function noWorkerAt(queue: string, connection: ConnectionOptions, { name, version }: TeamRef): SwarmError {
  const where = `the queue ${queue} at ${addressOf(connection)}`;
  const problem = `no worker takes steps from ${where}, and the run is for ${name} ${version}; start one, such as by swarm worker --by bullmq`;
  return new SwarmError("NO_WORKER", problem);
}

/** A worker's connection is named by what it serves: that is how a run knows of it. */
const nameOf = (worker: Worker) => encodeURIComponent(JSON.stringify(worker.abilities().teams));

/** What is served behind a connection, or null where its name does not say so. */
function servedBy(connection: string | undefined): Pick<TeamRef, "name" | "version">[] | null {
  const [, name] = connection?.split(":w:") ?? [];
  return name === undefined ? null : JSON.parse(decodeURIComponent(name));
}

/**
 * Lets a worker take attempts from the queue, as many at a time as its concurrency. Resolves when it is ready. Rejects with
 * `PLATFORM_FAILED` where there is no Redis to begin with, nor within `readyMs`; one that goes away later is waited for.
 */
export async function serveBullmq(
  worker: Worker,
  { connection, queue = DEFAULT_QUEUE, lockMs = 10_000, readyMs = 5_000 }: BullmqWorkerOptions,
): Promise<{ close(options?: { graceMs?: number }): Promise<void> }> {
  const { UnrecoverableError, Worker: Taker } = await load();
  const final = (message: string) => new UnrecoverableError(message);
  async function take(): Promise<QueueWorker> {
    const taker = new Taker<Json>(queue, (job, _token, signal) => perform(worker, job.data, { signal, final }), {
      connection,
      name: nameOf(worker),
      concurrency: worker.abilities().concurrency,
      lockDuration: lockMs,
      stalledInterval: Math.ceil(lockMs / 2),
      maxStalledCount: RETRIES.attempts,
    });
    taker.on("error", () => {}); // it reconnects; a job whose lock was lost is refused at the gate
    await readyOrFailed(taker, connection);
    return taker;
  }
  const taker = await untilThere(take, { readyMs });
  return {
    async close(options) {
      const taken = taker.close(); // takes no more jobs, and waits for those that it has
      await worker.drain(options);
      await taken;
    },
  };
}

async function perform(
  worker: Worker,
  data: Json,
  { signal, final }: { signal: AbortSignal | undefined; final(message: string): Error },
): Promise<void> {
  try {
    const delivery = checkInput(DeliverySchema, data, { root: "delivery" });
    await worker.perform(delivery, signal ? { signal } : {});
  } catch (error) {
    const { code } = error as Partial<SwarmError>;
    if (code?.startsWith("WORKER_")) throw error; // for another worker
    throw final(messageOf(error)); // the run's process is gone, or it is no delivery
  }
}
