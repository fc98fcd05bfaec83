import { relative } from "node:path";
import { messageOf, type Trajectory } from "@swarm/core";
import { writeFiles } from "../files-folder.ts";
import type { RunLog } from "../log/run-log.ts";
import { isForeseen } from "../report-error.ts";
import type { Mask } from "../settings/secrets.ts";
import { closing } from "../view/closing.ts";
import { type Line, line } from "../view/line.ts";
import { type Summary, summaryOf } from "../view/summary.ts";
import { table } from "../view/table.ts";
import { stateInWords } from "../view/words.ts";
import type { Following } from "./follow.ts";
import { jsonText, type ViewPaths, writeCost, writeView } from "./views.ts";

export type Places = { views: ViewPaths; workspace: string | null; out: string | null; cwd: string };
/** The object that `swarm run --json` prints. The path of what could not be written is null, and `problems` says why. */
export type Handed = Summary & {
  views: { [V in keyof ViewPaths]: string | null };
  out: string | null;
  problems: string[];
};

/**
 * Writes what came of a run, and tells where it is. Each part is written whether or not another could be, so that the result
 * is told in any case. The cost report comes first, and the run is no worse without it: it can be made again.
 */
export async function handOver(
  trajectory: Trajectory,
  { views, workspace, out, cwd }: Places,
  { following, log, mask }: { following: Following; log: RunLog; mask: Mask },
): Promise<Handed> {
  following.print(closing(trajectory));
  const costProblem = await writeCost(trajectory, views.cost, mask);
  const told = costProblem ? costUnavailable(costProblem) : line(`cost report: ${relative(cwd, views.cost)}`);
  following.print([line(""), told]);
  if (costProblem) log.costReportFailed(costProblem);

  const unwritten = trajectory.workspace?.problem;
  const problems = unwritten ? [`the workspace ${workspace} could not be written: ${unwritten}`] : [];
  const failed = (what: string, error: unknown) => {
    if (!isForeseen(error)) throw error;
    problems.push(`${what} could not be written: ${messageOf(error)}`);
    return null;
  };
  const written = (what: string, path: string, write: () => Promise<void>) =>
    write().then(
      () => path,
      (error: unknown) => failed(`${what} ${path}`, error),
    );
  const summary = summaryOf(trajectory);
  const verdict = await written("the verdict", views.verdict, () => writeView(views.verdict, mask(jsonText(summary))));
  // the patch is as it is: it has to apply to what the tests saw
  const patch = await written("the patch", views.patch, async () => writeView(views.patch, await trajectory.patch()));
  const files = out && (await written("--out:", out, async () => writeFiles(out, await trajectory.files())));
  const structured = log.fileError === null ? views.log : failed(`the structured log ${views.log}`, log.fileError);

  following.print(whereabouts(trajectory, { workspace, patch, files, cwd }));
  const paths = { verdict, patch, cost: costProblem ? null : views.cost, log: structured };
  return { ...summary, views: paths, out: files, problems };
}

export function costUnavailable(reason: string): Line {
  return line(`cost report: unavailable (${reason})`, "yellow");
}

function whereabouts(
  { runId, state, location, ...trajectory }: Trajectory,
  { workspace, patch, files, cwd }: Record<"workspace" | "patch" | "files", string | null> & { cwd: string },
): Line[] {
  const shown = (path: string) => relative(cwd, path) || ".";
  const label = state.label === "final" ? "" : ` (${stateInWords(state.label)})`;
  const worked = trajectory.workspace?.written ? "" : " (left as it was)";
  const rows = [
    ...(workspace ? [["workspace", shown(workspace) + worked]] : []),
    ["files", `${files ? shown(files) : `swarm show ${runId} --files <dir>`}${label}`],
    ["patch", patch ? shown(patch) : `swarm show ${runId} --patch`],
    ["log", location ? shown(location) : ""],
  ];
  return [line(""), ...table(rows).map((row) => line(row))];
}
