import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type BatchOptions,
  type Executor,
  fileLogStore,
  parseLog,
  type RunEvent,
  runBatch,
  type Task,
  type Team,
} from "@swarm/core";
import { conformanceTask, conformanceTeam } from "@swarm/core/testing";
import { httpExecutor, type RemoteExecutor } from "@swarm/executors";
import { bullmqExecutor } from "@swarm/executors/bullmq";
import { restateExecutor } from "@swarm/executors/restate";
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { redisServer } from "../test/redis-server.ts";
import { restateServer } from "../test/restate-server.ts";
import { freePort, WorkerPool } from "../test/worker-pool.ts";

const store = mkdtempSync(join(tmpdir(), "swarm-limits-"));
const pool = new WorkerPool();
const token = "a token that is long enough";
let workers: { url: string; token: string }[];
let root: string;

beforeAll(async () => {
  const ports = await Promise.all([freePort(), freePort()]);
  await Promise.all(ports.map((port) => pool.start({ by: "http", port, token, concurrency: 8 })));
  workers = ports.map((port) => ({ url: `http://127.0.0.1:${port}`, token }));
});
afterAll(async () => {
  await pool.close();
  rmSync(store, { recursive: true, force: true });
});
beforeEach(() => {
  root = mkdtempSync(join(store, "test-"));
});

const tasks = (count: number) =>
  Array.from({ length: count }, (_, nth) => ({ task: { ...conformanceTask, id: `t${nth}` } as Task }));

async function batch(
  count: number,
  given: Partial<BatchOptions>,
  { team = conformanceTeam({ store }), by = httpExecutor({ workers }) }: { team?: Team; by?: RemoteExecutor } = {},
) {
  await using executor = by;
  const run = { team, executor, store: fileLogStore(join(root, "runs")) };
  return await runBatch(tasks(count), { folder: join(root, "night"), concurrency: count, run, ...given });
}

const at = ({ payload }: RunEvent) => payload.measured?.["at"] as number;
/** The begin of each call to a model, of all runs. */
const modelCalls = () =>
  readdirSync(join(root, "runs"))
    .filter((name) => name.endsWith(".jsonl"))
    .flatMap((name) => parseLog(readFileSync(join(root, "runs", name))).events)
    .filter(({ payload }) => payload.type === "begin" && payload.call.op === "model");
const workersOf = (all: RunEvent[]) => new Set(all.map(({ payload }) => payload.measured?.["worker"]));

/** Executors with two workers each, or why there is none. */
const EXECUTORS: Record<string, () => Promise<RemoteExecutor | string>> = {
  http: async () => httpExecutor({ workers }),
  async bullmq() {
    const redis = await redisServer(mkdtempSync(join(store, "redis-")));
    if (typeof redis === "string") return redis;
    const own = new WorkerPool();
    onTestFinished(async () => {
      await own.close();
      await redis.kill();
    });
    for (let nth = 0; nth < 2; nth++) await own.start({ by: "bullmq", url: redis.url, lockMs: 10_000 });
    return bullmqExecutor({ connection: { url: redis.url } });
  },
  async restate() {
    const restate = await restateServer(mkdtempSync(join(store, "restate-")));
    if (typeof restate === "string") return restate;
    const [own, port] = [new WorkerPool(), await freePort()];
    onTestFinished(async () => {
      await own.close();
      await restate.kill();
    });
    for (let nth = 0; nth < 2; nth++) await own.start({ by: "restate", port });
    await restate.register(`http://127.0.0.1:${port}`);
    return restateExecutor({ url: restate.url });
  },
};

describe("over two workers", () => {
  test.each(Object.keys(EXECUTORS))("a provider's rate holds, and each of them is used: %s", async (name) => {
    const by = await EXECUTORS[name]!();
    if (typeof by === "string") return console.warn(`A RATE WAS NOT HELD OVER WORKERS OF ${name} HERE: ${by}`);
    const perMinute = 900;
    const { passed } = await batch(4, { rates: { scripted: { requestsPerMinute: perMinute } } }, { by });
    const begins = modelCalls().sort((a, b) => at(a) - at(b));
    expect([passed, workersOf(begins).size]).toEqual([4, 2]);
    expect(begins.length).toBeGreaterThan(32);
    const lateMs = 500; // a call that may begin stands in the log a little later
    for (const [nth, first] of begins.entries()) {
      for (const [further, last] of begins.slice(nth).entries()) {
        expect(further).toBeLessThanOrEqual(
          ((at(last) - at(first) + lateMs) * perMinute) / 60_000 + perMinute / 60 + 1,
        );
      }
    }
  });

  test("no more steps of a team are under way than it may have", async () => {
    await using far = httpExecutor({ workers });
    let running = 0;
    let most = 0;
    const counting: Executor = {
      specificationVersion: "v1",
      async runStep(step, host) {
        most = Math.max(most, ++running);
        return await far.runStep(step, host).finally(() => running--);
      },
    };
    const run = { team: conformanceTeam({ store }), executor: counting, store: fileLogStore(join(root, "runs")) };
    expect(await batch(4, { run, teamConcurrency: { conformance: 2 } })).toMatchObject({ passed: 4 });
    expect([most, workersOf(modelCalls()).size]).toEqual([2, 2]);
  });

  test("the budget of the batch is not overrun, and what it cut off goes on with more", async () => {
    const base = conformanceTeam({ store });
    const roles = Object.entries(base.roles).map(([name, role]) => {
      return [name, { ...role, models: [{ ...role.models[0], price: { input: 1, output: 0.1 } }] as const }];
    });
    const team: Team = { ...base, roles: Object.fromEntries(roles) };
    const usd = 0.003;
    const first = await batch(6, { usd }, { team });
    expect(first.usd).toBeGreaterThan(usd / 2);
    expect(first.usd).toBeLessThanOrEqual(usd);
    expect(first.unsettled).toMatchObject({ infrastructure: 0, refused: 0 });
    expect(first.settled).toBeLessThan(6);
    expect(await batch(6, { usd: 1, resume: true }, { team })).toMatchObject({ settled: 6, passed: 6 });
  });
});
