import { strict as assert } from "node:assert";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import {
  fileLogStore,
  type Memory,
  parseLog,
  type RunEvent,
  resumeRun,
  type Trajectory,
  trajectoryOf,
} from "@swarm/core";
import { assertReplays } from "@swarm/core/testing";
import { localSandbox } from "@swarm/sandbox";
import { loadTask, mockModel } from "@swarm/tasks";
import type { TeamName } from "../../packages/cli/src/teams/names.ts";
import { TEAMS } from "../../packages/cli/src/teams/teams.ts";
import { assertSameRun, type Crashed } from "./in-memory.ts";

const MAIN = fileURLToPath(new URL("../../packages/cli/src/main.ts", import.meta.url));

export type MockRun = { team: TeamName; taskId: string };
export type Cuts = {
  /** Where: after events, at bytes of the file, or in a process of its own that is killed by SIGKILL. */
  at: "events" | "bytes" | "kills";
  /** At most so many places, drawn by the seed; null: all. */
  most: number | null;
  seed: number;
};

/** A team's whole mock run of a task, made by the command in a folder, and what it is replayed with. */
export type RecordedRun = MockRun & {
  folder: string;
  whole: Trajectory;
  ports: Omit<Awaited<ReturnType<typeof portsOf>>, "model">;
};

/** Makes the run, and fails where its replay differs. */
export async function recordMockRun(run: MockRun, folder: string): Promise<RecordedRun> {
  await swarmRun(run, folder, null);
  const whole = readRun(folder);
  const { model: _, ...ports } = await portsOf(run, whole, folder);
  await assertReplays(whole, ports);
  return { ...run, folder, whole, ports };
}

/** Cuts the log of a run off in many places, each time resumes it, and holds it against the whole run. */
export async function cutOff(recorded: RecordedRun, { at, most, seed }: Cuts): Promise<Crashed> {
  const { team, taskId, folder, whole } = recorded;
  const text = readFileSync(logIn(folder));
  const places = placesIn(text, at, most, seed);
  for (const [index, place] of places.entries()) {
    const life = join(folder, `${at}-${index}`);
    if (at === "kills") await swarmRun(recorded, life, place);
    else {
      cpSync(join(folder, "runs", "objects"), join(life, "runs", "objects"), { recursive: true });
      writeFileSync(join(life, "runs", basename(logIn(folder))), text.subarray(0, place));
    }
    await goOn(recorded, life, whole).catch((error: unknown) => {
      const where = `${team} on ${taskId}, ${at}, byte ${place} of ${text.length}`;
      throw new Error(`${where}: ${error}`, { cause: error });
    });
    rmSync(life, { recursive: true, force: true });
  }
  return { cases: places.length, crashes: places.length };
}

/** As the command's, of a run that a script plays. */
const EMPTY_MEMORY: Memory = { specificationVersion: "v1", recall: async () => [] };

/** What a run is gone on with, or replayed: its team over its own files, with a model that counts what it is asked. */
async function portsOf({ team, taskId }: MockRun, { header }: Trajectory, folder: string) {
  const model = mockModel(await loadTask(taskId), { team });
  return {
    model,
    team: TEAMS[team].from(header.team, () => model, { memory: EMPTY_MEMORY }),
    sandbox: localSandbox({ store: join(folder, "runs", "objects"), isolation: "none" }),
  };
}

/** Resumes what is left of a run, and holds it against the whole one. */
async function goOn(run: MockRun, folder: string, whole: Trajectory): Promise<void> {
  const past = readRun(folder);
  const { model, ...ports } = await portsOf(run, past, folder);
  const final = await resumeRun(past.runId, { ...ports, store: fileLogStore(join(folder, "runs")) }).result;
  assertSameRun(whole, final);
  const paid = past.events.filter(
    ({ key, payload }) => key !== null && payload.type === "end" && payload.tokens,
  ).length;
  assert.equal(model.requests.length, whole.usage.modelCalls - paid, "calls that had been paid for were made again");
  const again = final.events.filter(({ key, payload }) => key === null && isCharged(payload)).length;
  const callsOf = ({ usage }: Trajectory) => usage.modelCalls + usage.toolCalls;
  assert.equal(callsOf(final), callsOf(whole) + again, "the calls that were charged are not those of the whole run");
  assert.ok(again <= callsInFlight(past.events), "more than the calls in flight were charged again");
}

/** What is neither a model's nor a tool's costs nothing. */
const isCharged = (payload: RunEvent["payload"]) => payload.type === "begin" && payload.call.op !== "other";

/** How many calls have begun and not ended. */
function callsInFlight(events: readonly RunEvent[]): number {
  const open = new Set<string>();
  for (const { stepId, key, payload } of events) {
    if (key !== null && isCharged(payload)) open.add(`${stepId} ${key}`);
    if (key !== null && payload.type === "end") open.delete(`${stepId} ${payload.of}`);
  }
  return open.size;
}

function logIn(folder: string): string {
  const runs = join(folder, "runs");
  const name = existsSync(runs) ? readdirSync(runs).find((file) => file.endsWith(".jsonl")) : undefined;
  return join(runs, name ?? "none.jsonl");
}

function readRun(folder: string): Trajectory {
  const { header, events } = parseLog(readFileSync(logIn(folder)));
  const { snapshots } = localSandbox({ store: join(folder, "runs", "objects"), isolation: "none" });
  return trajectoryOf({ header, events, snapshots, location: logIn(folder) });
}

function placesIn(text: Buffer, at: Cuts["at"], most: number | null, seed: number): number[] {
  const ends: number[] = [];
  for (let end = text.indexOf(0x0a); end !== -1; end = text.indexOf(0x0a, end + 1)) ends.push(end + 1);
  const [header = 0] = ends;
  const random = randomOf(seed);
  if (at === "events") return most === null ? ends : ends.filter(() => random() < most / ends.length);
  return Array.from({ length: most ?? ends.length }, () => header + Math.floor(random() * (text.length - header)));
}

/** The linear congruential generator of Numerical Recipes: the same places for a seed on every machine. */
function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Runs the command on the task, to its end or until its log has so many bytes: then it is killed. */
async function swarmRun({ team, taskId }: MockRun, folder: string, bytes: number | null): Promise<void> {
  const args = [
    "run",
    "--team",
    team,
    "--task",
    taskId,
    "--mock",
    "--isolation",
    "none",
    "--runs",
    join(folder, "runs"),
  ];
  const child = spawn(process.execPath, ["--conditions=@swarm/source", MAIN, ...args], { stdio: "ignore" });
  const watch = setInterval(() => {
    const size = statSync(logIn(folder), { throwIfNoEntry: false })?.size ?? 0;
    if (bytes !== null && size > bytes) child.kill("SIGKILL");
  }, 1);
  await once(child, "close");
  clearInterval(watch);
}
