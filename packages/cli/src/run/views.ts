import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Trajectory } from "@swarm/core";
import { summaryOf } from "../view/summary.ts";

/** Writes what a person wants to look at, made from the log and makeable again: `<runs>/<runId>/`. */
export async function writeViews(trajectory: Trajectory, runs: string): Promise<{ patch: string; verdict: string }> {
  const folder = join(runs, trajectory.runId);
  const views = { patch: join(folder, "patch.diff"), verdict: join(folder, "verdict.json") };
  await mkdir(folder, { recursive: true });
  await writeFile(views.verdict, `${JSON.stringify(summaryOf(trajectory), null, 2)}\n`);
  await writeFile(views.patch, await trajectory.patch());
  return views;
}
