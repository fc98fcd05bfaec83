import { codeswarm } from "@swarm/agents";
import {
  type Blobs,
  createGuard,
  createRedactor,
  fileLogStore,
  memoryLogStore,
  runTask,
  type Snapshots,
  type Trajectory,
  trajectoryOf,
} from "@swarm/core";
import { conformanceTask, conformanceTeam } from "@swarm/core/testing";
import { localSandbox } from "@swarm/sandbox";
import { chaosModel, loadTask, mockModel } from "@swarm/tasks";
import { type Format, type MadeRow, runRecord } from "../src/index.ts";

/** A run with the blobs that its log names. */
export type Made = { run: Trajectory; blobs: Blobs };

/** Of the conformance team: a failure, a repair, two branches, a race. */
export async function conformanceRun(config: { broken?: boolean; store?: string; runId?: string } = {}): Promise<Made> {
  const { broken = false, store, runId = "conformance-1" } = config;
  const team = conformanceTeam({ broken });
  const sandbox = team.defaults.sandbox();
  const log = store === undefined ? memoryLogStore() : fileLogStore(store);
  const run = await runTask(conformanceTask, { team, sandbox, store: log, runId });
  return { run, blobs: sandbox.blobs };
}

/** Of codeswarm with a model that does whatever its seed says, in memory. */
export async function chaosRun(seed: number): Promise<Made> {
  const ports = conformanceTeam().defaults;
  const sandbox = ports.sandbox();
  const guard = createGuard({ retries: 0 });
  const run = await runTask(conformanceTask, {
    team: codeswarm({ model: chaosModel(seed) }),
    sandbox,
    tests: ports.tests(),
    oracle: ports.oracle(),
    store: memoryLogStore(),
    guard,
    limits: { modelCalls: 40 },
    runId: `chaos-${seed}`,
  });
  return { run, blobs: sandbox.blobs };
}

/** A built-in task, played by its script: a wrong delivery, then the right one. */
export async function mockRun(task: string, folder: string, runId = "mock-1"): Promise<Made> {
  const loaded = await loadTask(task);
  const sandbox = localSandbox({ store: `${folder}/objects`, isolation: "none" });
  const store = fileLogStore(folder);
  const run = await runTask(loaded.task, { team: codeswarm({ model: mockModel(loaded) }), sandbox, store, runId });
  return { run, blobs: sandbox.blobs };
}

/** The rows of a run, and why some were left out. */
export async function rowsOf(format: Format, { run, blobs }: Made): Promise<{ rows: MadeRow[]; leftOut: string[] }> {
  const leftOut: string[] = [];
  const rows = await Array.fromAsync(format.rows(runRecord(run, blobs, createRedactor()), (why) => leftOut.push(why)));
  return { rows, leftOut };
}

/** The same run, cut off after some of its events. */
export function cutAfter({ run, blobs }: Made, count: number): Made {
  const { header, events } = run;
  const snapshots: Snapshots = { ...NO_SNAPSHOTS, patch: () => run.patch() };
  return { run: trajectoryOf({ header, events: events.slice(0, count), snapshots, location: null }), blobs };
}

const NO_SNAPSHOTS = {} as Snapshots;
