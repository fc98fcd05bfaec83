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
    const connection = { url: `redis://127.0.0.1:${await freePort()}` };
    const worker = createWorker({
      teams: [{ name: "conformance", version: "1", make: () => conformanceTeam({ store: join(store, "blobs") }) }],
    });
    await expect(serveBullmq(worker, { connection })).rejects.toMatchObject({ code: "PLATFORM_FAILED" });
    const nowhere = bullmqExecutor({ connection });
    const { verdict } = await runTask(conformanceTask, {
      team: conformanceTeam({ store: join(store, "blobs") }),
      store: memoryLogStore(),
      executor: nowhere,
    });
    expect(verdict).toMatchObject({ passed: false, outcome: "infra-error" });
    await nowhere.close();
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
