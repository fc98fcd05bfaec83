import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { memoryLogStore, runTask } from "@swarm/core";
import { assertEqualRuns, conformanceTask, conformanceTeam, executorConformance } from "@swarm/core/testing";
import { createWorker, type RemoteExecutor } from "@swarm/executors";
import { bullmqExecutor, serveBullmq } from "@swarm/executors/bullmq";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type RedisServer, redisServer } from "../test/redis-server.ts";
import { freePort, WorkerPool } from "../test/worker-pool.ts";

const store = mkdtempSync(join(tmpdir(), "swarm-bullmq-"));
const workers = new WorkerPool();
let redis: RedisServer | string;
let executor: RemoteExecutor;

beforeAll(async () => {
  redis = await redisServer(store);
  if (typeof redis === "string") return console.warn(`NOTHING IS TRIED ON A REAL REDIS HERE: ${redis}`);
  for (let count = 0; count < 2; count++) await workers.start({ by: "bullmq", url: redis.url, lockMs: 1_000 });
  executor = bullmqExecutor({ connection: { url: redis.url }, leaseMs: 3_000 });
}, 60_000);
afterAll(async () => {
  await executor?.close();
  await workers.close();
  if (typeof redis !== "string") await redis.kill();
  rmSync(store, { recursive: true, force: true });
}, 60_000);

describe("the executor that brings attempts to workers by BullMQ", () => {
  const cases = executorConformance({
    executor: () => executor,
    store: join(store, "blobs"),
    workers,
    places: [2, 6, 15],
  });
  for (const { name, run } of cases) test(name, async () => void (typeof redis === "string" || (await run())));

  test("says that there is no Redis, to a worker as to a run", async () => {
    const address = `127.0.0.1:${await freePort()}`;
    const connection = { url: `redis://:password@${address}` };
    const worker = createWorker({
      teams: [{ name: "conformance", version: "1", make: () => conformanceTeam({ store: join(store, "blobs") }) }],
    });
    const problem = {
      code: "PLATFORM_FAILED",
      message: expect.stringContaining(`there is no Redis at ${address} (connect ECONNREFUSED`),
    };
    await expect(serveBullmq(worker, { connection, readyMs: 0 })).rejects.toMatchObject(problem);
    await using nowhere = bullmqExecutor({ connection, readyMs: 0 });
    const team = conformanceTeam({ store: join(store, "blobs") });
    const refused = runTask(conformanceTask, { team, store: memoryLogStore(), executor: nowhere });
    await expect(refused).rejects.toMatchObject(problem);
  });

  test("says whom it needs where a queue has no worker, or those of other teams", async () => {
    if (typeof redis === "string") return;
    const connection = { url: redis.url };
    const queue = "another";
    await using alone = bullmqExecutor({ connection, queue, readyMs: 0 });
    const { signal } = new AbortController();
    const asked = () => alone.preflight({ name: "conformance", version: "1", config: {} }, { signal });
    await expect(asked()).rejects.toMatchObject({
      code: "NO_WORKER",
      message: expect.stringMatching(/from the queue another at 127\.0\.0\.1:.*for conformance 1/),
    });
    const make = () => conformanceTeam({ store: join(store, "blobs") });
    const other = await serveBullmq(createWorker({ teams: [{ name: "conformance", version: "0", make }] }), {
      connection,
      queue,
    });
    await expect(asked()).rejects.toThrow("the workers serve conformance 0; the run is for conformance 1");
    await other.close();
  });

  test("waits for a Redis that comes up, and for its first worker", async () => {
    if (typeof redis === "string") return;
    await redis.kill();
    await using patient = bullmqExecutor({ connection: { url: redis.url } });
    const { signal } = new AbortController();
    const there = patient.preflight({ name: "conformance", version: "1", config: {} }, { signal });
    await redis.start();
    await there;
  });

  test("goes on when Redis was killed and is there again", async () => {
    if (typeof redis === "string") return;
    const server = redis;
    const team = () => conformanceTeam({ store: join(store, "blobs") });
    const local = await runTask(conformanceTask, { team: team(), store: memoryLogStore() });
    let killed = false;
    const disturbed: typeof executor.runStep = async (step, host) => {
      const append: typeof host.append = async (epoch, events) => {
        if (!killed) {
          killed = true;
          await server.kill();
          setTimeout(() => void server.start(), 500);
        }
        await host.append(epoch, events);
      };
      return await executor.runStep(step, { ...host, append });
    };
    const { verdict, events } = await runTask(conformanceTask, {
      team: team(),
      store: memoryLogStore(),
      executor: { specificationVersion: "v1", runStep: disturbed },
    });
    expect(verdict.outcome).toBe("verified");
    assertEqualRuns(local, { events });
  });
});
