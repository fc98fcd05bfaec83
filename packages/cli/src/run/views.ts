import { writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { costReport, makeFolder, messageOf, type Trajectory } from "@swarm/core";
import type { Mask } from "../settings/secrets.ts";

/** Paths of what a person wants to look at, made from the log and makeable again: `<runs>/<runId>/`. */
export function viewPaths(runs: string, runId: string) {
  const path = (name: string) => join(runs, runId, name);
  return { patch: path("patch.diff"), verdict: path("verdict.json"), cost: path("cost.json"), log: path("log.jsonl") };
}
export type ViewPaths = ReturnType<typeof viewPaths>;

/** Writes a view, after its folder if that is missing. */
export async function writeView(path: string, content: string | Uint8Array): Promise<void> {
  makeFolder(dirname(path));
  await writeFile(path, content);
}

/** Writes the cost report. Returns why it could not be, or null: a run is no worse for it. */
export async function writeCost(trajectory: Trajectory, path: string, mask: Mask): Promise<string | null> {
  try {
    await writeView(path, mask(jsonText(costReport(trajectory))));
    return null;
  } catch (error) {
    return messageOf(error);
  }
}

export function jsonText(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
