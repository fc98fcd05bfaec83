import { writeFile } from "node:fs/promises";
import { dirname, relative, resolve } from "node:path";
import { type Files, InvalidInputError, writePack } from "@swarm/core";
import { localSandbox } from "@swarm/sandbox";
import { evidenceFiles } from "../evidence/evidence-files.ts";
import { EXIT } from "../exit-codes.ts";
import { requireEmpty, writeFiles } from "../files-folder.ts";
import type { OptionsOf } from "../flags.ts";
import type { CliIO } from "../io.ts";
import { usageError } from "../parse-command-line.ts";
import { isForeseen } from "../report-error.ts";
import { reasonOf } from "../require-writable.ts";
import { loadSettings } from "../settings/load-settings.ts";
import { secretsOf } from "../settings/secrets.ts";
import { findLog } from "../show/find-log.ts";
import { fromObjects } from "../show/from-objects.ts";
import { type ReadRun, readLog } from "../show/read-log.ts";
import { PACK_SUFFIX } from "../show/read-pack.ts";
import { ending, followStory, story } from "../show/story.ts";
import { clean } from "../view/line.ts";
import { printLines } from "../view/screen.ts";
import { summaryOf } from "../view/summary.ts";
import { count, formatted, stateInWords } from "../view/words.ts";

/** `swarm show`: one run's story, or its result as JSON, its patch, its files, its evidence, or all of it as one file. */
export async function show(name: string, options: OptionsOf<"show">, io: CliIO): Promise<number> {
  const { patch, json, files, evidence } = options;
  if ([patch, json, options.pack, files !== undefined, evidence !== undefined].filter(Boolean).length > 1)
    throw usageError("--patch, --files, --evidence, --pack, --json", "exclude each other; give one of them");
  if (options.out !== undefined && !options.pack) throw usageError("--out", "goes with --pack only");
  const flag = files === undefined ? "--evidence" : "--files";
  const folder = files ?? evidence;
  const target = folder === undefined ? null : resolve(io.cwd, folder);
  if (target) await requireEmpty(flag, target);
  const given = options.runs === undefined ? null : resolve(io.cwd, options.runs);
  const log = await findLog(name, given ?? resolve(io.cwd, "runs"), io.cwd);
  const told = !target && !json && !patch && !options.pack;
  if (options.follow) await followStory(log, (lines) => told && printLines(io.stdout, lines));
  const run = await readLog(log, given ?? dirname(log));
  const { trajectory } = run;
  if (run.torn) io.stderr.write("swarm: the log's last line is torn, and taken as not written\n");

  if (target) return flag === "--files" ? handOver(run, target, io) : prove(run, target, io);
  if (options.pack) return pack(run, resolve(io.cwd, options.out ?? `${trajectory.runId}${PACK_SUFFIX}`), io);
  const result = { ...summaryOf(trajectory), process: run.process };
  if (json) io.stdout.write(`${JSON.stringify(result, null, 2)}\n`);
  else if (patch) io.stdout.write(await ofRun(run, () => trajectory.patch()));
  else printLines(io.stdout, options.follow ? ending(trajectory, run.process) : story(trajectory, run.process));
  return EXIT.ok;
}

async function handOver(run: ReadRun, folder: string, io: CliIO): Promise<number> {
  const { trajectory } = run;
  const files = await ofRun(run, () => trajectory.files());
  const what = `${count(Object.keys(files).length, "file")} of run ${trajectory.runId}`;
  return write(files, { flag: "--files", folder, said: `${what}: ${stateInWords(trajectory.state.label)}` }, io);
}

async function prove(run: ReadRun, folder: string, io: CliIO): Promise<number> {
  const { snapshots } = localSandbox({ store: run.objects, isolation: "none" });
  const files = await ofRun(run, () => evidenceFiles(run.trajectory, snapshots));
  return write(files, { flag: "--evidence", folder, said: `what run ${run.trajectory.runId} has to show` }, io);
}

type Written = { flag: string; folder: string; said: string };

async function write(files: Files, { flag, folder, said }: Written, io: CliIO): Promise<number> {
  try {
    await writeFiles(folder, files);
  } catch (error) {
    if (!isForeseen(error)) throw error;
    io.stderr.write(`swarm: ${flag}: ${folder} could not be written: ${clean(error.message)}\n`);
    return EXIT.notPassed;
  }
  io.stderr.write(`${relative(io.cwd, folder) || "."}: ${said}\n`);
  return EXIT.ok;
}

async function pack(run: ReadRun, path: string, io: CliIO): Promise<number> {
  const { header, events } = run.trajectory;
  const secrets = secretsOf(await loadSettings({}, io));
  const { blobs } = localSandbox({ store: run.objects, isolation: "none" });
  const file = await ofRun(run, () => writePack({ header, events: [...events] }, blobs, { secrets }));
  await writeFile(path, file, { flag: "wx" }).catch((error: NodeJS.ErrnoException) => {
    const problem = error.code === "EEXIST" ? "is there already" : `cannot be written (${reasonOf(error)})`;
    throw new InvalidInputError("--out", `${path} ${problem}; name another file`);
  });
  const shown = relative(io.cwd, path) || path;
  io.stdout.write(`${shown}\n`);
  io.stderr.write(`run ${header.runId} in ${formatted(file.length)} bytes: swarm replay ${shown}\n`);
  return EXIT.ok;
}

function ofRun<T>({ trajectory, objects }: ReadRun, read: () => Promise<T>): Promise<T> {
  const right = "name the folder whose `objects` does";
  return fromObjects({ runId: trajectory.runId, objects, right }, read);
}
