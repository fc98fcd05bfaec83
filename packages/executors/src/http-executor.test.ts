import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { executorConformance } from "@swarm/core/testing";
import { httpExecutor, type RemoteExecutor } from "@swarm/executors";
import { afterAll, beforeAll, describe, test } from "vitest";
import { freePort, WorkerPool } from "../test/worker-pool.ts";

const store = mkdtempSync(join(tmpdir(), "swarm-http-"));
const token = "a token that is long enough";
const workers = new WorkerPool();
let executor: RemoteExecutor;

beforeAll(async () => {
  const ports = [await freePort(), await freePort()];
  for (const port of ports) await workers.start({ by: "http", port, token });
  executor = httpExecutor({
    workers: ports.map((port) => ({ url: `http://127.0.0.1:${port}`, token })),
    leaseMs: 1_500,
  });
}, 60_000);
afterAll(async () => {
  await executor.close();
  await workers.close();
  rmSync(store, { recursive: true, force: true });
}, 60_000);

describe("the executor that brings attempts to workers by HTTP", () => {
  for (const { name, run } of executorConformance({ executor: () => executor, store, workers })) test(name, run);
});
