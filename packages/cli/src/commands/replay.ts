import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import {
  InvalidInputError,
  isDecided,
  type LogContent,
  NotFoundError,
  type Pack,
  type Replay,
  replayRun,
  type Sandbox,
  SwarmError,
} from "@swarm/core";
import { localSandbox } from "@swarm/sandbox";
import { loadTask } from "@swarm/tasks";
import { EXIT } from "../exit-codes.ts";
import type { OptionsOf } from "../flags.ts";
import type { CliIO } from "../io.ts";
import { ISOLATIONS, oneOf } from "../one-of.ts";
import { teamOfLog } from "../resume/team-of-log.ts";
import { InterruptWatch } from "../run/interrupt.ts";
import { jsonText } from "../run/views.ts";
import { findLog } from "../show/find-log.ts";
import { readLog } from "../show/read-log.ts";
import { namesPack, packAt } from "../show/read-pack.ts";
import { divergenceLines, isSnapshot } from "../view/divergence-lines.ts";
import { type Line, line } from "../view/line.ts";
import { printLines, Screen } from "../view/screen.ts";
import { count } from "../view/words.ts";

type Options = OptionsOf<"replay">;
/** What is replayed, and the folder of files that it needs beside those that it brings. */
type Recorded = { run: LogContent | Pack; objects: string | null };

/** `swarm replay`: a run again from its log, with no key and no network, and where it comes out otherwise. Leaves nothing behind. */
export async function replay(name: string, options: Options, io: CliIO): Promise<number> {
  const isolation = oneOf("--isolation", options.isolation, ISOLATIONS);
  const { run, objects } = await recordedRun(name, options, io);
  const team = teamOfLog(run.header, new Map());
  const given = options.task?.endsWith(".json") ? resolve(io.cwd, options.task) : options.task;
  const task = given === undefined ? {} : { task: (await loadTask(given)).task };

  const abort = new AbortController();
  const interrupts = new InterruptWatch(io, (by) => abort.abort(new SwarmError("ABORTED", `interrupted by ${by}`)));
  const screen = new Screen(io.stderr, () => "replaying: every tool and test runs again");
  const store = mkdtempSync(join(tmpdir(), "swarm-replay-"));
  screen.start();
  try {
    const sandbox = localSandbox({ store, isolation, ...(objects === null ? {} : { readOnlyStore: objects }) });
    const replayed = await replayRun(run, { team, sandbox, signal: abort.signal, ...task });
    screen.stop();
    if (interrupts.signal !== null) {
      io.stderr.write(`swarm: ${interrupts.signal}: nothing was decided\n`);
      return EXIT[interrupts.signal];
    }
    const { divergence } = replayed;
    const files = await filesIn(replayed, sandbox);
    const { runId, task: of } = run.header;
    if (options.json) io.stdout.write(jsonText({ runId, taskId: of.id, events: run.events.length, divergence, files }));
    else printLines(io.stdout, told(run, divergence, files));
    return divergence === null ? EXIT.ok : EXIT.notPassed;
  } catch (error) {
    if (!(error instanceof NotFoundError) || objects === null) throw error;
    const problem = `${objects} does not hold the files of run ${run.header.runId} (${error.message})`;
    throw new InvalidInputError("--runs", `${problem}; name the folder whose \`objects\` does`, { cause: error });
  } finally {
    screen.stop();
    interrupts.stop();
    rmSync(store, { recursive: true, force: true });
  }
}

async function recordedRun(name: string, options: Options, io: CliIO): Promise<Recorded> {
  if (namesPack(name)) return { run: await packAt(resolve(io.cwd, name)), objects: null };
  const given = options.runs === undefined ? null : resolve(io.cwd, options.runs);
  const path = await findLog(name, given ?? resolve(io.cwd, "runs"), io.cwd);
  const { trajectory, objects, torn } = await readLog(path, given ?? dirname(path));
  if (torn) io.stderr.write("swarm: the log's last line is torn, and taken as not written\n");
  return { run: { header: trajectory.header, events: [...trajectory.events] }, objects };
}

/** The files that came out otherwise where that is what differs, each with how. */
async function filesIn({ divergence }: Replay, { snapshots }: Sandbox): Promise<string[]> {
  const of = divergence?.differences.find(({ path }) => isSnapshot(path));
  if (typeof of?.before !== "string" || typeof of.after !== "string") return [];
  const changes = await snapshots.diff(of.before, of.after).catch(() => []); // of files that are gone
  return changes.map(({ path, kind }) => `${path} (${kind})`);
}

function told(run: LogContent | Pack, divergence: Replay["divergence"], files: readonly string[]): Line[] {
  const { header, events } = run;
  const redacted = "redacted" in run ? run.redacted : 0;
  return [
    line(`run ${header.runId} of task ${header.task.id}: ${count(events.length, "event")}`, "bold"),
    ...(redacted > 0
      ? [
          line(
            `secrets were taken out of ${count(redacted, "file")} of the pack: what rests on them may differ`,
            "yellow",
          ),
        ]
      : []),
    ...(divergence === null
      ? [line(`no divergence${isDecided(events) ? "" : ", as far as the log goes: it has no verdict"}`, "green")]
      : divergenceLines(divergence, files)),
  ];
}
