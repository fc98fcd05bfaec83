import { subscribe } from "node:diagnostics_channel";
import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type BatchOptions, type Executor, fileLogStore, runBatch, type Task } from "@swarm/core";
import { conformanceTask, conformanceTeam } from "@swarm/core/testing";
import { httpExecutor } from "@swarm/executors";
import { freePort, WorkerPool } from "../../../packages/executors/test/worker-pool.ts";
import { printTable } from "../compare.ts";
import { type Scale, USUAL } from "./parameters.ts";
import { simulate } from "./simulate.ts";

const [WORKERS, PLACES, AT_ONCE] = [2, 4, 8];
/** Of a run of the conformance team, whose model takes no time. */
const [STEPS, CALLS] = [5, 11];

/** What the model of scale takes from a machine, and the simulation beside a real batch, over two workers in processes of their own. */
export async function measureHere(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "swarm-bench-scale-"));
  const pool = new WorkerPool();
  const token = "a token that is long enough";
  try {
    const ports = await Promise.all(Array.from({ length: WORKERS }, freePort));
    for (const port of ports) await pool.start({ by: "http", port, token, concurrency: PLACES });
    await using far = httpExecutor({ workers: ports.map((port) => ({ url: `http://127.0.0.1:${port}`, token })) });
    let [requests, attempts] = [0, 0];
    subscribe("http.server.request.start", () => requests++); // nothing but the gate is a server here
    const executor: Executor = {
      specificationVersion: "v1",
      runStep: (step, host) =>
        far.runStep(step, {
          ...{ signal: host.signal, secrets: host.secrets, site: () => host.site() },
          async claim(stepId) {
            attempts += 1;
            return await host.claim(stepId);
          },
          append: (epoch, events) => host.append(epoch, events),
        }),
    };
    const store = join(folder, "store");
    const run = { team: conformanceTeam({ store }), executor, store: fileLogStore(join(folder, "runs")) };
    const batch = async (name: string, runs: number, more: Partial<BatchOptions> = {}) => {
      [requests, attempts] = [0, 0];
      const tasks = Array.from({ length: runs }, (_, nth) => ({ task: { ...conformanceTask, id: `t${nth}` } as Task }));
      const [started, cpu] = [performance.now(), process.cpuUsage()];
      const report = await runBatch(tasks, { folder: join(folder, name), run, concurrency: AT_ONCE, ...more });
      const { user, system } = process.cpuUsage(cpu);
      if (report.passed !== runs) throw new Error(`${report.passed} of ${runs} runs passed`);
      return { s: (performance.now() - started) / 1e3, cpuS: (user + system) / 1e6 };
    };
    await batch("warm", 16);
    const runs = 48;
    const { cpuS, s } = await batch("free", runs);
    const [made, begun] = [requests, attempts];
    const logs = readdirSync(join(folder, "runs")).filter(
      (name) => name.startsWith("free.") && name.endsWith(".jsonl"),
    );
    const bytes = logs.reduce((sum, name) => sum + statSync(join(folder, "runs", name)).size, 0);
    printTable(
      "What a run of the conformance team costs the process that drives it, over two workers",
      ["what", ""],
      [
        ["CPU ms a run, its log synced", ((cpuS / runs) * 1e3).toFixed(1)],
        ["requests to the gate a run", (made / runs).toFixed(1)],
        ["CPU ms a request", ((cpuS / made) * 1e3).toFixed(2)],
        ["attempts a run", (begun / runs).toFixed(1)],
        ["log, kB a run", (bytes / runs / 1e3).toFixed(1)],
      ],
    );
    const rate = 600;
    const real = await batch("held", 24, { rates: { scripted: { requestsPerMinute: rate } } });
    const scale: Scale = {
      ...USUAL,
      ...{ runs: 24, runsPerS: null, atOnce: AT_ONCE, workers: WORKERS, places: PLACES, requestsPerMinute: rate },
      ...{ stepsPerRun: STEPS, callsPerStep: CALLS / STEPS, requestCpuS: cpuS / made },
      ...{ callS: s / (runs * CALLS), toolS: 0, tokensPerCall: 0 },
    };
    const simulated = Array.from({ length: 20 }, (_, seed) => simulate(scale, seed).lastS);
    const mean = simulated.reduce((sum, lastS) => sum + lastS, 0) / simulated.length;
    printTable(
      `24 runs that ${rate} requests a minute hold up`,
      ["", "s"],
      [
        ["here", real.s.toFixed(1)],
        ["simulation, mean of 20 seeds", mean.toFixed(1)],
        ["ratio", (real.s / mean).toFixed(2)],
      ],
    );
  } finally {
    await pool.close();
    rmSync(folder, { recursive: true, force: true });
  }
}
