import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { costReport, messageOf, type Trajectory } from "@swarm/core";
import type { Mask } from "../settings/secrets.ts";
import { summaryOf } from "../view/summary.ts";

/** Paths of what a person wants to look at, made from the log and makeable again: `<runs>/<runId>/`. */
export function viewPaths(runs: string, runId: string) {
  const path = (name: string) => join(runs, runId, name);
  return { patch: path("patch.diff"), verdict: path("verdict.json"), cost: path("cost.json"), log: path("log.jsonl") };
}
export type ViewPaths = ReturnType<typeof viewPaths>;

/** The patch is as it is: it has to apply to what the tests saw. */
export async function writeViews(trajectory: Trajectory, paths: ViewPaths, mask: Mask): Promise<void> {
  await writeFile(paths.verdict, mask(jsonText(summaryOf(trajectory))));
  await writeFile(paths.patch, await trajectory.patch());
}

/** Writes the cost report. Returns why it could not be, or null: a run is no worse for it. */
export async function writeCost(trajectory: Trajectory, path: string, mask: Mask): Promise<string | null> {
  try {
    await mkdir(join(path, ".."), { recursive: true });
    await writeFile(path, mask(jsonText(costReport(trajectory))));
    return null;
  } catch (error) {
    return messageOf(error);
  }
}

export function jsonText(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
