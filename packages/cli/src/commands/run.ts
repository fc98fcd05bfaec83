import { join, relative, resolve } from "node:path";
import { fileLogStore, startRun, type Trajectory, viewOf } from "@swarm/core";
import { localSandbox } from "@swarm/sandbox";
import { loadTask } from "@swarm/tasks";
import { EXIT } from "../exit-codes.ts";
import { requireEmpty, writeFiles } from "../files-folder.ts";
import type { OptionsOf } from "../flags.ts";
import type { CliIO } from "../io.ts";
import { usageError } from "../parse-command-line.ts";
import { reportError } from "../report-error.ts";
import { follow } from "../run/follow.ts";
import { limitsFrom } from "../run/limits.ts";
import { pricesOf, teamFor } from "../run/team.ts";
import { writeViews } from "../run/views.ts";
import { closing } from "../view/closing.ts";
import { type Line, line } from "../view/line.ts";
import { summaryOf } from "../view/summary.ts";
import { table } from "../view/table.ts";

type Options = OptionsOf<"run">;

/** `swarm run`: settles all that can be refused, then runs, shows the run, and hands over what came of it. */
export async function run(options: Options, io: CliIO): Promise<number> {
  const out = options.out === undefined ? null : resolve(io.cwd, options.out);
  if (out) await requireEmpty("--out", out);
  const limits = limitsFrom(options);
  const isolation = isolationFrom(options.isolation);
  const loaded = await loadTask(taskFrom(options.task, io.cwd));
  const { task } = loaded;
  const team = await teamFor(loaded, options, io.env);
  const runs = resolve(io.cwd, options.runs);
  const sandbox = localSandbox({ store: join(runs, "objects"), isolation });

  const started = startRun(task, { team, sandbox, limits, store: fileLogStore(runs) });
  const facts = () => ({
    runId: started.runId,
    task: viewOf(task),
    team,
    limits: { ...task.limits, ...limits },
    prices: pricesOf(team),
    tier: sandbox.tier,
  });
  const following = follow(started, facts, io);
  try {
    const trajectory = await started.result;
    following.screen.print(closing(trajectory));
    const views = await writeViews(trajectory, runs);
    if (out) await writeFiles(out, await trajectory.files());
    following.screen.print(whereabouts(trajectory, { ...views, out }, io.cwd));
    if (options.json) io.stdout.write(`${JSON.stringify({ ...summaryOf(trajectory), views, out }, null, 2)}\n`);
    return exitCodeOf(trajectory, following.interruptedBy());
  } catch (error) {
    if (!following.begun()) throw error;
    reportError(error, io, options.json); // the log, a view or a file could not be written
    return EXIT.notPassed;
  } finally {
    following.stop();
  }
}

function taskFrom(name: string | undefined, cwd: string): string {
  if (name === undefined)
    throw usageError("--task", "is missing: name a built-in task (see swarm tasks) or a task file");
  return name.endsWith(".json") ? resolve(cwd, name) : name;
}

const ISOLATIONS = ["required", "preferred", "none"] as const;

function isolationFrom(text: string): (typeof ISOLATIONS)[number] {
  const isolation = ISOLATIONS.find((name) => name === text);
  if (isolation) return isolation;
  throw usageError("--isolation", `has to be one of ${ISOLATIONS.join(", ")}, and is ${JSON.stringify(text)}`);
}

function exitCodeOf({ verdict }: Trajectory, signal: "SIGINT" | "SIGTERM" | null): number {
  if (signal && verdict.outcome === "aborted") return EXIT[signal];
  return verdict.passed ? EXIT.ok : EXIT.notPassed;
}

function whereabouts(
  { runId, state, location }: Trajectory,
  { patch, out }: { patch: string; out: string | null },
  cwd: string,
): Line[] {
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
