import { relative, resolve } from "node:path";
import type { Trajectory } from "@swarm/core";
import { EXIT } from "../exit-codes.ts";
import { requireEmpty, writeFiles } from "../files-folder.ts";
import type { OptionsOf } from "../flags.ts";
import type { CliIO } from "../io.ts";
import { usageError } from "../parse-command-line.ts";
import { findLog } from "../show/find-log.ts";
import { readLog } from "../show/read-log.ts";
import { story } from "../show/story.ts";
import { printLines } from "../view/screen.ts";
import { summaryOf } from "../view/summary.ts";

/** `swarm show`: one run's story, or its result as JSON, its patch, or its files. */
export async function show(name: string, options: OptionsOf<"show">, io: CliIO): Promise<number> {
  const folder = options.files === undefined ? null : resolve(io.cwd, options.files);
  if ([options.patch, options.json, folder !== null].filter(Boolean).length > 1)
    throw usageError("--patch, --files, --json", "exclude each other; give one of them");
  if (folder) await requireEmpty("--files", folder);
  const { trajectory, torn } = await readLog(await findLog(name, resolve(io.cwd, options.runs), io.cwd));
  if (torn) io.stderr.write("swarm: the log's last line is torn, and taken as not written\n");

  if (options.json) io.stdout.write(`${JSON.stringify(summaryOf(trajectory), null, 2)}\n`);
  else if (options.patch) io.stdout.write(await trajectory.patch());
  else if (folder) await handOver(trajectory, folder, io);
  else printLines(io.stdout, story(trajectory));
  return EXIT.ok;
}

async function handOver(trajectory: Trajectory, folder: string, io: CliIO): Promise<void> {
  const files = await trajectory.files();
  await writeFiles(folder, files);
  const { label } = trajectory.state;
  const state = label === "final" ? "final state" : "best state that its tests saw, which is no solution";
  const where = relative(io.cwd, folder) || ".";
  io.stderr.write(`${where}: ${Object.keys(files).length} files, the ${state} of run ${trajectory.runId}\n`);
}
