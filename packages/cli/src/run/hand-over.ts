import { relative } from "node:path";
import type { Trajectory } from "@swarm/core";
import { writeFiles } from "../files-folder.ts";
import type { RunLog } from "../log/run-log.ts";
import type { Mask } from "../settings/secrets.ts";
import { closing } from "../view/closing.ts";
import { type Line, line } from "../view/line.ts";
import { type Summary, summaryOf } from "../view/summary.ts";
import { table } from "../view/table.ts";
import type { Following } from "./follow.ts";
import { type ViewPaths, writeCost, writeViews } from "./views.ts";

export type Places = { views: ViewPaths; out: string | null; cwd: string };
/** The object that `swarm run --json` prints. `views.cost` is null where the report could not be written. */
export type Handed = Summary & { views: Omit<ViewPaths, "cost"> & { cost: string | null }; out: string | null };

/** Writes what came of a run, and tells where it is. The cost report comes first, and the run is no worse without it. */
export async function handOver(
  trajectory: Trajectory,
  { views, out, cwd }: Places,
  { following, log, mask }: { following: Following; log: RunLog; mask: Mask },
): Promise<Handed> {
  following.print(closing(trajectory));
  const problem = await writeCost(trajectory, views.cost, mask);
  const told = problem ? costUnavailable(problem) : line(`cost report: ${relative(cwd, views.cost)}`);
  following.print([line(""), told]);
  if (problem) log.costReportFailed(problem);
  await writeViews(trajectory, views, mask);
  if (out) await writeFiles(out, await trajectory.files());
  following.print(whereabouts(trajectory, views.patch, out, cwd));
  return { ...summaryOf(trajectory), views: { ...views, cost: problem ? null : views.cost }, out };
}

export function costUnavailable(reason: string): Line {
  return line(`cost report: unavailable (${reason})`, "yellow");
}

function whereabouts({ runId, state, location }: Trajectory, patch: string, out: string | null, cwd: string): Line[] {
  const shown = (path: string | null) => (path === null ? "" : relative(cwd, path) || ".");
  const label = state.label === "final" ? "" : " (the best state that its tests saw, which is no solution)";
  const files = out ? `${shown(out)}${label}` : `swarm show ${runId} --files <dir>${label}`;
  const rows = [
    ["files", files],
    ["patch", shown(patch)],
    ["log", shown(location)],
  ];
  return [line(""), ...table(rows).map((row) => line(row))];
}
