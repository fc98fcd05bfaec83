import { strict as assert } from "node:assert";
import { mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import type { RunEvent, Trajectory } from "@swarm/core";
import { answeredIn, assertSameRun } from "../crash/in-memory.ts";
import { type Disturbance, disturbed, watched } from "./disturb.ts";
import { type Disk, smallDisk } from "./full-disk.ts";
import { network } from "./network.ts";
import { type ExecutorName, openSite, processesIn, type Site } from "./site.ts";
import type { Billed } from "./team.ts";

export const CASES = ["kill", "stop", "server", "cut", "poison", "disk", "full", "late"] as const;
export type CaseName = (typeof CASES)[number];

/** What came of a case: of its runs, how many ended in each way, and what was otherwise than in the undisturbed run. */
export type Tried = { ended: Map<string, number>; problems: string[] };
export type Scope = {
  executor: ExecutorName;
  /** Emptied by the caller. */
  folder: string;
  /** The run that nothing disturbed. */
  whole: Trajectory;
  /** At most so many places of the run, drawn by the seed; null: each event, and for what takes long every fifth. */
  most: number | null;
  seed: number;
};

/** Runs a case, or says why it cannot be run here. */
export async function tryCase(name: CaseName, scope: Scope): Promise<Tried | string> {
  const folder = mkdtempSync(join(scope.folder, `${name}-`));
  const tried: Tried = { ended: new Map(), problems: [] };
  const trial: Trial = {
    ...scope,
    folder,
    random: randomOf(scope.seed),
    async attempt(where, run) {
      try {
        const { outcome } = (await run()).verdict;
        tried.ended.set(outcome, (tried.ended.get(outcome) ?? 0) + 1);
      } catch (error) {
        tried.problems.push(`${where}: ${error}`);
      }
    },
  };
  const unable = await BY_NAME[name](trial);
  if (unable !== undefined) return unable;
  tried.problems.push(...(await leftIn(folder)).map((what) => `is left behind: ${what}`));
  return tried;
}

type Trial = Scope & { random(): number; attempt(where: string, run: () => Promise<Trajectory>): Promise<void> };

const BY_NAME: Record<CaseName, (trial: Trial) => Promise<string | undefined>> = {
  /** `kill -9` of the worker that is at work. */
  async kill(trial) {
    return await onSite(trial, {}, async (site) => {
      for (const nth of placesOf(trial, 1)) {
        const moment = (["on its way", "untold", "told"] as const)[Math.floor(trial.random() * 3)]!;
        const afterMs = trial.random() * 200;
        await disturbedRun(trial, site, { nth, moment, afterMs, happen: (worker) => site.workers.kill(worker) });
      }
    });
  },

  /** Stopped for longer than its lease, and goes on when another one is at work. */
  async stop(trial) {
    return await onSite(trial, {}, async (site) => {
      for (const nth of placesOf(trial, 5)) {
        const zombie: Zombie = { worker: null, awake: false };
        const freeze = (worker: string) => {
          zombie.worker = worker;
          site.workers.freeze(worker);
        };
        const thaw = () => site.workers.thaw(zombie.worker ?? "");
        const whileFrozen = { ...site, executor: wokenByNext(site, zombie, thaw) };
        await disturbedRun(trial, whileFrozen, { nth, moment: "untold", happen: freeze }, (final) =>
          assertNothingOf(zombie, final),
        );
        thaw();
      }
    });
  },

  /** `kill -9` of the server, which is there again half a second later. */
  async server(trial) {
    return await onSite(trial, {}, async (site) => {
      const { server } = site;
      if (!server) return "there is no server";
      for (const nth of placesOf(trial, 5)) {
        let again = Promise.resolve();
        const happen = async () => {
          await server.kill();
          again = setTimeout(500).then(() => server.start());
        };
        await disturbedRun(trial, site, { nth, moment: "untold", happen });
        await again;
      }
      return undefined;
    });
  },

  /** No packet between the worker's machine and the others, for longer than a lease. */
  async cut(trial) {
    if (trial.executor === "process") return "there is no network between";
    const net = network(2);
    if (typeof net === "string") return net;
    try {
      return await onSite(trial, { network: net }, async (site) => {
        for (const nth of placesOf(trial, 5)) {
          let healed = Promise.resolve();
          const happen = (worker: string) => {
            const machine = site.machineOf(worker);
            net.cut(machine);
            healed = setTimeout(CUT_MS).then(() => net.heal(machine));
          };
          await disturbedRun(trial, site, { nth, moment: "untold", happen });
          await healed;
        }
      });
    } finally {
      net.remove();
    }
  },

  /** A call that ends whoever makes it. */
  async poison(trial) {
    return await onSite(trial, { poison: POISON }, async (site) => {
      await trial.attempt("at its call", async () => {
        const final = await site.run(site.executor);
        assertLost(final);
        const calls = site.billed().filter(({ site }) => site === POISON).length;
        assert.ok(calls > 1 && calls <= MAX_DELIVERIES, `the call was made ${calls} times`);
        return final;
      });
    });
  },

  /** The disk of the worker that is at work is full, until another one has gone on. */
  async disk(trial) {
    if (trial.executor === "process") return "its workers are on one machine, so that there is no other one to go on";
    return await onDisks(trial, {}, async (site, disks) => {
      for (const nth of placesOf(trial, 5)) {
        const full: Zombie = { worker: null, awake: false };
        const happen = (worker: string) => {
          full.worker = worker;
          full.disk = disks.get(site.folderOf(worker));
          full.disk?.fill();
        };
        const free = () => full.disk?.free();
        const whileFull = { ...site, executor: wokenByNext(site, full, free) };
        await disturbedRun(trial, whileFull, { nth, moment: "untold", happen });
        free();
      }
    });
  },

  /** The disks of all workers are full, and stay so. */
  async full(trial) {
    return await onDisks(trial, { patienceMs: 2_000 }, async (site, disks) => {
      await trial.attempt("from the start", async () => {
        for (const disk of disks.values()) disk.fill();
        const final = await site.run(site.executor);
        for (const disk of disks.values()) disk.free();
        assertLost(final);
        assert.equal(site.billed().length, 0);
        return final;
      });
    });
  },

  /** The server is not there when the run begins. The run is refused, and made when it is there. */
  async late(trial) {
    return await onSite(trial, { serverLater: true }, async (site) => {
      const { server } = site;
      if (!server) return "there is no server";
      await trial.attempt("at the start", async () => {
        await assert.rejects(site.run(site.executor), { code: "PLATFORM_FAILED" });
        await server.start();
        const final = await site.run(site.executor);
        assertUndisturbed(trial.whole, final, site.billed());
        return final;
      });
      return undefined;
    });
  },
};

/** Longer than a lease. */
const CUT_MS = 4_500;
const POISON = "run/implement|coder|0.1";
/** The executors' own default. */
const MAX_DELIVERIES = 5;

/** A worker that something is wrong with, until it is mended amid the work of the next one. */
type Zombie = { worker: string | null; awake: boolean; disk?: Disk | undefined };

async function onSite(
  { executor, folder }: Trial,
  wanted: Omit<Parameters<typeof openSite>[1], "folder">,
  use: (site: Site) => Promise<string | undefined>,
): Promise<string | undefined> {
  const site = await openSite(executor, { folder, ...wanted });
  if (typeof site === "string") return site;
  try {
    return await use(site);
  } finally {
    await site.close();
  }
}

/** On a small disk for each worker, by its folder. */
async function onDisks(
  trial: Trial,
  wanted: Omit<Parameters<typeof openSite>[1], "folder" | "folders">,
  use: (site: Site, disks: ReadonlyMap<string, Disk>) => Promise<undefined>,
): Promise<string | undefined> {
  const folders = [0, 1].map((nth) => join(trial.folder, `disk-${nth}`));
  const disks = new Map<string, Disk>();
  try {
    for (const folder of folders) {
      const disk = smallDisk(folder);
      if (typeof disk === "string") return disk;
      disks.set(folder, disk);
    }
    return await onSite(trial, { ...wanted, folders }, (site) => use(site, disks));
  } finally {
    for (const disk of disks.values()) disk.remove();
  }
}

async function disturbedRun(
  trial: Trial,
  site: Site,
  disturbance: Disturbance,
  also: (final: Trajectory) => void = () => {},
): Promise<void> {
  const { nth, moment, afterMs = 0 } = disturbance;
  const where = moment === "told" ? `${Math.round(afterMs)} ms after event ${nth}` : `event ${nth} ${moment}`;
  await trial.attempt(where, async () => {
    const before = site.billed().length;
    const { executor, over } = disturbed(site.executor, disturbance);
    const final = await site.run(executor);
    await over();
    assertUndisturbed(trial.whole, final, site.billed().slice(before));
    also(final);
    await assertQueueEmpty(site);
    return final;
  });
}

/** Lets the zombie go on at the next one's first word, and both be at work for a while. */
function wokenByNext({ executor }: Site, zombie: Zombie, wake: () => void) {
  return watched(executor, async (worker, _, append) => {
    if (zombie.worker !== null && worker !== zombie.worker && !zombie.awake) {
      zombie.awake = true;
      wake();
      await setTimeout(300);
    }
    await append();
  });
}

/** Verdict, files and events are those of the undisturbed run, and nothing was paid for twice that the log held. */
function assertUndisturbed(whole: Trajectory, final: Trajectory, billed: readonly Billed[]): void {
  assertSameRun(whole, final);
  const answers = answeredIn(final.events);
  const lost = final.events.filter(({ payload }) => payload.type === "recovered" && payload.how === "redelivered");
  for (const [site, { payload }] of answers) {
    const calls = billed.filter((call) => call.site === site);
    assert.ok(calls.length > 0, `${site} was answered and not billed: the ledger does not see calls`);
    const end = Number(payload.measured?.["at"]);
    for (const { at } of calls)
      assert.ok(at <= end, `${site} was asked ${at - end} ms after its answer was in the log`);
  }
  const again = billed.length - answers.size;
  assert.ok(again <= lost.length, `${again} calls were made again for ${lost.length} workers that were lost`);
}

/** The run was given up, since no worker could do its work. */
function assertLost({ verdict, events }: Trajectory): void {
  assert.equal(verdict.outcome, "infra-error");
  const codes = events.flatMap(({ payload }) => (payload.type === "fault" ? [payload.fault.code] : []));
  assert.deepEqual(codes, ["WORKER_LOST"]);
}

/** Once another worker has taken an attempt, no event of it is the zombie's. */
function assertNothingOf({ worker: zombie }: Zombie, { events }: Trajectory): void {
  assert.notEqual(zombie, null, "no worker was stopped");
  for (const { tsIndex, stepId, payload } of events) {
    if (payload.type !== "recovered" || payload.how !== "redelivered") continue;
    const { attempt } = payload.detail as { attempt: number };
    const isLate = (event: RunEvent) =>
      event.tsIndex > tsIndex &&
      event.stepId === stepId &&
      event.key?.split(".")[0] === String(attempt) &&
      event.payload.measured?.["worker"] === zombie;
    assert.deepEqual(
      events.filter(isLate),
      [],
      "a worker that was stopped wrote to the log after another had taken over",
    );
  }
}

/** A job's keys are named by its delivery; what else is there is the queue's own. */
async function assertQueueEmpty({ server }: Site): Promise<void> {
  const jobs = () => server?.keys?.().filter((key) => /:[0-9a-f]{24}(:|$)/.test(key)) ?? [];
  for (let tries = 0; jobs().length > 0 && tries < 100; tries++) await setTimeout(100);
  assert.deepEqual(jobs(), [], "jobs are left in the queue");
}

/** What is still there of a case that is over. */
async function leftIn(folder: string): Promise<string[]> {
  for (let tries = 0; processesIn(folder).length > 0 && tries < 10; tries++) await setTimeout(100);
  const mounts = readFileSync("/proc/self/mountinfo", "utf8")
    .split("\n")
    .filter((line) => line.includes(folder));
  // An empty one is of a worker that was killed as it made it; a sweep takes it a minute later.
  const folders = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter(
    (path) => /\/tmp\/swarm-[^/]+$/.test(path) && readdirSync(join(folder, path)).length > 0,
  );
  return [...processesIn(folder).map((pid) => `process ${pid}`), ...mounts, ...folders];
}

/** Places among the events of workers. `every` thins out what takes long. */
function placesOf({ whole, most, random }: Trial, every: number): number[] {
  const count = whole.events.filter(({ key, stepId }) => key !== null && stepId.split("/").length > 1).length;
  const all = Array.from({ length: count }, (_, index) => index + 1).filter((place) => place % every === 1 % every);
  if (most === null) return all;
  return Array.from({ length: Math.min(most, count) }, () => 1 + Math.floor(random() * count));
}

/** The linear congruential generator of Numerical Recipes: the same places for a seed on every machine. */
function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}
