import { spawn } from "node:child_process";
import { once } from "node:events";
import { Agent, request } from "node:http";
import { fileURLToPath } from "node:url";
import { Queue, QueueEvents } from "bullmq";
import type { Reached } from "./serve-worker.ts";

/** The program of workers that take the steps of {@link bareSteps}. */
export const BARE_WORKER = fileURLToPath(new URL("./bare-worker.ts", import.meta.url));

/** Steps that do nothing, brought to workers by what executors stand on, without Swarm. */
export type Bare = { step(): Promise<void>; close(): Promise<void> };

export async function bareSteps(by: Reached["by"] | "process", urls: readonly string[]): Promise<Bare> {
  if (by === "process") return { step: processStep, close: async () => {} };
  if (by === "bullmq") return await bullmqSteps(urls[0]!);
  const agent = new Agent({ keepAlive: true });
  const path = by === "restate" ? "/bare/step" : "/";
  let turn = 0;
  return {
    step: async () => await post(`${urls[turn++ % urls.length]}${path}`, agent),
    async close() {
      agent.destroy();
    },
  };
}

async function bullmqSteps(url: string): Promise<Bare> {
  const connection = { url };
  const [queue, events] = [new Queue("bare", { connection }), new QueueEvents("bare", { connection })];
  await events.waitUntilReady();
  return {
    async step() {
      const job = await queue.add("step", null, { removeOnComplete: 1_000 }); // kept for who waits
      await job.waitUntilFinished(events);
    },
    async close() {
      await Promise.all([queue.close(), events.close()]);
    },
  };
}

/** A process that ends. */
async function processStep(): Promise<void> {
  await once(spawn(process.execPath, ["-e", ""], { stdio: "ignore" }), "exit");
}

async function post(url: string, agent: Agent): Promise<void> {
  const asked = request(url, { method: "POST", agent, headers: { "content-type": "application/json" } });
  asked.end("null");
  const [response] = await once(asked, "response");
  if (response.statusCode !== 200) throw new Error(`${url} answered with status ${response.statusCode}`);
  for await (const _ of response);
}
