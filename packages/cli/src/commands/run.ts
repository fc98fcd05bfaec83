import { createGuard, fileLogStore, messageOf, startRun, type Trajectory, viewOf } from "@swarm/core";
import { EXIT } from "../exit-codes.ts";
import type { OptionsOf } from "../flags.ts";
import type { CliIO, Interrupt } from "../io.ts";
import { RunLog } from "../log/run-log.ts";
import { reportError } from "../report-error.ts";
import { follow } from "../run/follow.ts";
import { costUnavailable, type Handed, handOver } from "../run/hand-over.ts";
import { prepare } from "../run/prepare.ts";
import { pricesOf } from "../run/team.ts";
import { jsonText, viewPaths } from "../run/views.ts";
import { guardOptions } from "../settings/policy.ts";
import { maskFor, secretsOf } from "../settings/secrets.ts";
import { clean } from "../view/line.ts";

/** `swarm run`: settles all that can be refused, then runs, shows the run, and hands over what came of it. */
export async function run(options: OptionsOf<"run">, io: CliIO): Promise<number> {
  const { task, team, sandbox, limits, settings, runs, workspace, out, ...prepared } = await prepare(options, io);
  const mask = maskFor(settings);
  const guard = createGuard(guardOptions(settings));
  const store = fileLogStore(runs);
  const rules = { limits, allowUnpriced: options["allow-unpriced"], secrets: secretsOf(settings) };
  const started = startRun(task, { team, sandbox, guard, store, ...(workspace ? { workspace } : {}), ...rules });
  const views = viewPaths(runs, started.runId);
  const facts = () => ({
    runId: started.runId,
    task: viewOf(task),
    team,
    limits: { ...task.limits, ...limits },
    prices: pricesOf(team),
    tier: sandbox.tier,
  });
  const asJson = prepared.log === "json";
  const following = follow(started, { facts, mask, shown: !asJson }, io);
  const also = asJson ? { stream: io.stderr, level: settings.logLevel } : null;
  const log = new RunLog({ file: views.log, facts, mask, also });
  started.on("event", (event) => log.tell(event));

  let trajectory: Trajectory | null = null;
  try {
    trajectory = await started.result;
    const handed = await handOver(trajectory, { views, workspace, out, cwd: io.cwd }, { following, log, mask });
    if (options.json) io.stdout.write(mask(jsonText(handed)));
    for (const problem of handed.problems) io.stderr.write(`swarm: ${clean(mask(problem))}\n`);
    return exitCodeOf(handed, following.interruptedBy());
  } catch (error) {
    if (!following.begun()) throw error;
    if (!trajectory) following.print([costUnavailable(messageOf(error))]);
    reportError(error, io, options.json); // the log could not be written, or there is a bug
    return EXIT.notPassed;
  } finally {
    following.stop();
    log.close();
    guard.dispose();
  }
}

function exitCodeOf({ outcome, passed, problems }: Handed, signal: Interrupt | null): number {
  if (signal && outcome === "aborted") return EXIT[signal];
  return passed && problems.length === 0 ? EXIT.ok : EXIT.notPassed;
}
