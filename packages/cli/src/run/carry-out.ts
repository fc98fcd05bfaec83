import { type Guard, messageOf, type Run, type Trajectory } from "@swarm/core";
import type { MemoryStore } from "@swarm/memory";
import { EXIT } from "../exit-codes.ts";
import type { CliIO, Interrupt } from "../io.ts";
import { RunLog } from "../log/run-log.ts";
import { reportError } from "../report-error.ts";
import { maskFor } from "../settings/secrets.ts";
import type { Settings } from "../settings/settings.ts";
import { clean, line } from "../view/line.ts";
import type { RunFacts } from "../view/opening.ts";
import { follow } from "./follow.ts";
import { costUnavailable, type Handed, handOver } from "./hand-over.ts";
import { rememberRun } from "./memory.ts";
import { jsonText, viewPaths } from "./views.ts";

/** How a run is shown, and where what comes of it goes. */
export type Manner = {
  settings: Settings;
  /** Asked for when the first event is there. */
  facts: () => RunFacts;
  /** Folder of the logs. */
  runs: string;
  workspace: string | null;
  /** Where the files go in the end. */
  out: string | null;
  /** Whether stderr shows the run to a person, or as JSON lines. */
  log: "progress" | "json";
  /** Whether the result goes to stdout as JSON. */
  json: boolean;
  /** What the run did is kept in it. Ends with the run, as the guard does. */
  memory: MemoryStore;
  guard: Guard;
};

/** Shows a run that was started or goes on, to its end, and hands over what came of it. Returns the exit code. */
export async function carryOut(run: Run, manner: Manner, io: CliIO): Promise<number> {
  const { settings, facts, runs, workspace, out, json, memory, guard } = manner;
  const mask = maskFor(settings);
  const views = viewPaths(runs, run.runId);
  const asJson = manner.log === "json";
  const following = follow(run, { facts, mask, shown: !asJson }, io);
  const also = asJson ? { stream: io.stderr, level: settings.logLevel } : null;
  const log = new RunLog({ file: views.log, facts, mask, also });
  run.on("event", (event) => log.tell(event));

  let trajectory: Trajectory | null = null;
  try {
    trajectory = await run.result;
    const handed = await handOver(trajectory, { views, workspace, out, cwd: io.cwd }, { following, log, mask });
    const forgotten = await rememberRun(memory, trajectory);
    if (forgotten !== null) {
      following.print([line(`memory: the run is not kept in it (${clean(forgotten)})`, "yellow")]);
      log.memoryFailed(forgotten);
    }
    if (json) io.stdout.write(mask(jsonText(handed)));
    for (const problem of handed.problems) io.stderr.write(`swarm: ${clean(mask(problem))}\n`);
    return exitCodeOf(handed, following.interruptedBy());
  } catch (error) {
    if (!following.begun()) throw error;
    if (!trajectory) following.print([costUnavailable(messageOf(error))]);
    reportError(error, io, json); // the log could not be written, or there is a bug
    return EXIT.notPassed;
  } finally {
    following.stop();
    log.close();
    guard.dispose();
    await memory.close();
  }
}

function exitCodeOf({ outcome, passed, problems }: Handed, signal: Interrupt | null): number {
  if (signal && outcome === "aborted") return EXIT[signal];
  return passed && problems.length === 0 ? EXIT.ok : EXIT.notPassed;
}
