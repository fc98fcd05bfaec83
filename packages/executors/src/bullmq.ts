import { once } from "node:events";
import { checkInput, type Json, messageOf, SwarmError } from "@swarm/core";
import type { ConnectionOptions, Queue, Worker as QueueWorker } from "bullmq";
import { loadClient } from "./load-client.ts";
import type { Carrier } from "./remote/carrier.ts";
import { type Delivery, DeliverySchema } from "./remote/delivery.ts";
import { RemoteExecutor, type RemoteOptions } from "./remote/remote-executor.ts";
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
    await readyOrFailed(queue, name);
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
    submit,
    /** The queue brings a job again whose worker was lost. Only one that it has forgotten is put in anew. */
    async submitAgain(delivery) {
      const job = await (await queue()).getJob(delivery.id);
      if (job) return false;
      await submit(delivery);
      return true;
    },
    async settled({ id }) {
      await (await opened)?.remove(id); // unless a worker has it: that one learns that the attempt is over
    },
    async close() {
      await (await opened)?.close();
      opened = null;
    },
  };
}

export type BullmqWorkerOptions = BullmqQueue & {
  /** A worker that does not renew its hold of a job for so long is lost, and the job another's. Default 10,000. */
  lockMs?: number;
};

/** To begin with there has to be a Redis; one that goes away later is waited for. */
async function readyOrFailed(client: Queue | QueueWorker, queue: string): Promise<void> {
  const failed = once(client, "error").then(([error]) => Promise.reject(error));
  try {
    await Promise.race([client.waitUntilReady(), failed]);
  } catch (cause) {
    await client.close(true); // a worker would wait for its connection first
    throw new SwarmError("PLATFORM_FAILED", `there is no Redis for the queue ${queue}: ${messageOf(cause)}`, { cause });
  }
}

/**
 * Lets a worker take attempts from the queue, as many at a time as its concurrency. Resolves when it is ready. Rejects with
 * `PLATFORM_FAILED` where there is no Redis to begin with; one that goes away later is waited for.
 */
export async function serveBullmq(
  worker: Worker,
  { connection, queue = DEFAULT_QUEUE, lockMs = 10_000 }: BullmqWorkerOptions,
): Promise<{ close(options?: { graceMs?: number }): Promise<void> }> {
  const { UnrecoverableError, Worker: Taker } = await load();
  const final = (message: string) => new UnrecoverableError(message);
  const taker = new Taker<Json>(queue, (job, _token, signal) => perform(worker, job.data, { signal, final }), {
    connection,
    concurrency: worker.abilities().concurrency,
    lockDuration: lockMs,
    stalledInterval: Math.ceil(lockMs / 2),
    maxStalledCount: RETRIES.attempts,
  });
  taker.on("error", () => {}); // it reconnects; a job whose lock was lost is refused at the gate
  await readyOrFailed(taker, queue);
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
