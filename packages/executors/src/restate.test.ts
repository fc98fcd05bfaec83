import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { memoryLogStore, runTask } from "@swarm/core";
import { assertEqualRuns, conformanceTask, conformanceTeam, executorConformance } from "@swarm/core/testing";
import type { RemoteExecutor } from "@swarm/executors";
import { restateExecutor } from "@swarm/executors/restate";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type RestateServer, restateServer } from "../test/restate-server.ts";
import { freePort, WorkerPool } from "../test/worker-pool.ts";

const store = mkdtempSync(join(tmpdir(), "swarm-restate-"));
const workers = new WorkerPool();
let restate: RestateServer | string;
let executor: RemoteExecutor;

beforeAll(async () => {
  restate = await restateServer(store);
  if (typeof restate === "string") return console.warn(`NOTHING IS TRIED ON A REAL RESTATE SERVER HERE: ${restate}`);
  const port = await freePort();
  for (let count = 0; count < 2; count++) await workers.start({ by: "restate", port });
  await restate.register(`http://127.0.0.1:${port}`);
  executor = restateExecutor({ url: restate.url, leaseMs: 3_000 });
}, 180_000);
afterAll(async () => {
  await executor?.close();
  await workers.close();
  if (typeof restate !== "string") await restate.kill();
  rmSync(store, { recursive: true, force: true });
}, 60_000);

describe("the executor that brings attempts to workers by Restate", () => {
  const cases = executorConformance({
    executor: () => executor,
    store: join(store, "blobs"),
    workers,
    places: [2, 6, 15],
  });
  for (const { name, run } of cases) test(name, async () => void (typeof restate === "string" || (await run())));

  test("says what is missing: a server, or a worker that is registered", async () => {
    const { signal } = new AbortController();
    const team = { name: "conformance", version: "1", config: {} };
    const url = `http://127.0.0.1:${await freePort()}`;
    const nowhere = restateExecutor({ url, readyMs: 0 });
    await expect(nowhere.preflight(team, { signal })).rejects.toMatchObject({
      code: "PLATFORM_FAILED",
      message: expect.stringContaining(`Restate cannot be reached at ${url} (connect ECONNREFUSED`),
    });
    if (typeof restate === "string") return;
    const unserved = restateExecutor({ url: restate.url, service: "nobody", readyMs: 0 });
    await expect(unserved.preflight(team, { signal })).rejects.toMatchObject({
      code: "NO_WORKER",
      message: expect.stringMatching(/^no worker is registered with Restate at .*for conformance 1/),
    });
    await expect(executor.preflight({ ...team, version: "2" }, { signal })).rejects.toMatchObject({
      code: "TEAM_MISMATCH",
      message: "the workers serve conformance 1; the run is for conformance 2",
    });
  });

  test("goes on when the server was killed and is there again", async () => {
    if (typeof restate === "string") return;
    const server = restate;
    const team = () => conformanceTeam({ store: join(store, "blobs") });
    const local = await runTask(conformanceTask, { team: team(), store: memoryLogStore() });
    let killed = false;
    const { verdict, events } = await runTask(conformanceTask, {
      team: team(),
      store: memoryLogStore(),
      executor: {
        specificationVersion: "v1",
        runStep: (step, host) =>
          executor.runStep(step, {
            ...host,
            async append(epoch, drafts) {
              if (!killed) {
                killed = true;
                await server.kill();
                await server.start();
              }
              await host.append(epoch, drafts);
            },
          }),
      },
    });
    expect(verdict.outcome).toBe("verified");
    assertEqualRuns(local, { events });
  });
});
