import { strict as assert } from "node:assert";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { memoryLogStore, parseLog, type RunEvent, startRun, trajectoryOf } from "@swarm/core";
import { memorySandbox } from "@swarm/core/testing";
import fc from "fast-check";
import { assertNothingTwice, assertSameRun, type Crashed } from "./in-memory.ts";
import { type Plan, plans } from "./plan.ts";
import { generatedTeam, task, type World, witnessOf } from "./team.ts";

const CHILD = fileURLToPath(new URL("child.ts", import.meta.url));
/** A process that comes to no end in this time is a fault of its own. */
const PATIENCE_MS = 60_000;

/** Generated runs in processes that are killed amid them, by SIGKILL, and gone on with by others. Fails with what differs. */
export async function crashProcesses({ cases, seed }: { cases: number; seed: number }): Promise<Crashed> {
  let crashes = 0;
  const moments = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 1, maxLength: 2 });
  const property = fc.asyncProperty(plans, moments, async (plan, when) => {
    crashes += await crashProcess(plan, when);
  });
  await fc.assert(property, { numRuns: cases, seed, endOnFailure: true });
  return { cases, crashes };
}

async function crashProcess(plan: Plan, moments: readonly number[]): Promise<number> {
  const world: World = { answered: [], made: [] };
  const whole = await startRun(task, {
    team: generatedTeam({ plan, witness: () => witnessOf(world) }),
    store: memoryLogStore(),
    runId: "run",
  }).result;
  const size = Buffer.byteLength(whole.toJsonl());
  const folder = mkdtempSync(join(tmpdir(), "swarm-crash-"));
  try {
    mkdirSync(join(folder, "runs"));
    writeFileSync(join(folder, "plan.json"), JSON.stringify(plan));
    const log = join(folder, "runs", "run.jsonl");
    let crashes = 0;
    let past: readonly RunEvent[] = [];
    for (const [life, moment] of [...moments, null].entries()) {
      const killed = await live(folder, life, log, moment === null ? null : moment * size);
      assertNothingTwice(past, told(join(folder, `witness-${life}.jsonl`)));
      if (killed) crashes++;
      past = existsSync(log) ? parseLog(readFileSync(log)).events : [];
    }
    const { header, events } = parseLog(readFileSync(log));
    assertSameRun(whole, trajectoryOf({ header, events, snapshots: memorySandbox().snapshots, location: log }));
    return crashes;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** One life of the run: to its end, or until its log has so many bytes. Whether it was killed. */
async function live(folder: string, life: number, log: string, bytes: number | null): Promise<boolean> {
  const child = spawn(process.execPath, ["--conditions=@swarm/source", CHILD, folder, String(life)], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  let problem = "";
  child.stderr.on("data", (text: Buffer) => (problem += text));
  const watch = setInterval(() => {
    const size = statSync(log, { throwIfNoEntry: false })?.size ?? 0;
    if (bytes !== null && size > bytes) child.kill("SIGKILL");
  }, 1);
  const late = setTimeout(() => child.kill("SIGKILL"), PATIENCE_MS);
  const [code, signal] = await once(child, "close");
  clearInterval(watch);
  clearTimeout(late);
  if (bytes === null || signal !== "SIGKILL")
    assert.equal(code, 0, `the process ended with ${signal ?? code}: ${problem}`);
  return signal === "SIGKILL";
}

function told(file: string): World {
  const lines = existsSync(file) ? readFileSync(file, "utf8").split("\n").filter(Boolean) : [];
  const world: World = { answered: [], made: [] };
  for (const { answered, made, tool } of lines.map((line) => JSON.parse(line))) {
    if (answered === undefined) world.made.push({ id: made, tool });
    else world.answered.push(answered);
  }
  return world;
}
