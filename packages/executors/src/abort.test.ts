import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Executor, memoryLogStore, startRun } from "@swarm/core";
import { conformanceTask } from "@swarm/core/testing";
import { httpExecutor, ProcessExecutor } from "@swarm/executors";
import { bullmqExecutor } from "@swarm/executors/bullmq";
import { restateExecutor } from "@swarm/executors/restate";
import { afterAll, expect, onTestFinished, test } from "vitest";
import { redisServer } from "../test/redis-server.ts";
import { restateServer } from "../test/restate-server.ts";
import type { Reached } from "../test/serve-worker.ts";
import { makeTeam } from "../test/sleeping-team.ts";
import { freePort, WorkerPool } from "../test/worker-pool.ts";

const folder = mkdtempSync(join(tmpdir(), "swarm-abort-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function worker(reached: Reached): Promise<void> {
  const pool = new WorkerPool(fileURLToPath(new URL("../test/sleeping-worker.ts", import.meta.url)));
  onTestFinished(() => pool.close());
  await pool.start(reached);
}

const module = new URL("../test/sleeping-team.ts", import.meta.url);
const EXECUTORS: Record<string, () => Promise<(Executor & Partial<AsyncDisposable>) | string>> = {
  process: async () => new ProcessExecutor({ module, execArgv: ["--conditions=@swarm/source"] }),
  async http() {
    const port = await freePort();
    await worker({ by: "http", port, token: "a token that is long enough" });
    return httpExecutor({ workers: [{ url: `http://127.0.0.1:${port}`, token: "a token that is long enough" }] });
  },
  async bullmq() {
    const redis = await redisServer(mkdtempSync(join(folder, "redis-")));
    if (typeof redis === "string") return redis;
    onTestFinished(() => redis.kill());
    await worker({ by: "bullmq", url: redis.url, lockMs: 10_000 });
    return bullmqExecutor({ connection: { url: redis.url } });
  },
  async restate() {
    const restate = await restateServer(mkdtempSync(join(folder, "restate-")));
    if (typeof restate === "string") return restate;
    onTestFinished(() => restate.kill());
    const port = await freePort();
    await worker({ by: "restate", port });
    await restate.register(`http://127.0.0.1:${port}`);
    return restateExecutor({ url: restate.url });
  },
};

/** Those of this machine that sleep for so long. */
const sleeping = (seconds: string) =>
  readdirSync("/proc").filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, "latin1") === `sleep\0${seconds}\0`;
    } catch {
      return false; // it has just ended, or is no process
    }
  });

test.runIf(process.platform === "linux").each(Object.keys(EXECUTORS))(
  "the processes of a step are gone within a second of the run's abort: %s",
  async (name) => {
    const executor = await EXECUTORS[name]!();
    if (typeof executor === "string") return console.warn(`AN ABORT WAS NOT TRIED WITH ${name} HERE: ${executor}`);
    const seconds = `61.${process.pid}${Object.keys(EXECUTORS).indexOf(name)}`;
    const team = makeTeam({ config: { seconds, store: join(folder, "objects") } });
    const run = startRun(conformanceTask, { team, store: memoryLogStore(), executor });
    await expect.poll(() => sleeping(seconds).length, { timeout: 60_000 }).toBe(1);
    run.abort("enough");
    await expect.poll(() => sleeping(seconds), { timeout: 1_000 }).toEqual([]);
    expect((await run.result).verdict.outcome).toBe("aborted");
    await executor[Symbol.asyncDispose]?.();
  },
);
