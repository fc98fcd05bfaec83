import { createGuard, fileLogStore, messageOf, startRun, type Trajectory, viewOf } from "@swarm/core";
import { EXIT } from "../exit-codes.ts";
import type { OptionsOf } from "../flags.ts";
import type { CliIO, Interrupt } from "../io.ts";
import { RunLog } from "../log/run-log.ts";
import { reportError } from "../report-error.ts";
import { follow } from "../run/follow.ts";
import { costUnavailable, handOver } from "../run/hand-over.ts";
import { prepare } from "../run/prepare.ts";
import { pricesOf } from "../run/team.ts";
import { jsonText, viewPaths } from "../run/views.ts";
import { guardOptions } from "../settings/policy.ts";
import { maskFor } from "../settings/secrets.ts";

/** `swarm run`: settles all that can be refused, then runs, shows the run, and hands over what came of it. */
export async function run(options: OptionsOf<"run">, io: CliIO): Promise<number> {
  const { task, team, sandbox, limits, settings, runs, out, ...prepared } = await prepare(options, io);
  const mask = maskFor(settings);
  const guard = createGuard(guardOptions(settings));
  const started = startRun(task, { team, sandbox, limits, guard, store: fileLogStore(runs) });
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
    const handed = await handOver(trajectory, { views, out, cwd: io.cwd }, { following, log, mask });
    if (options.json) io.stdout.write(mask(jsonText(handed)));
    return exitCodeOf(trajectory, following.interruptedBy());
  } catch (error) {
    if (!following.begun()) throw error;
    if (!trajectory) following.print([costUnavailable(messageOf(error))]);
    reportError(error, io, options.json); // the log, a view or a file could not be written
    return EXIT.notPassed;
  } finally {
    following.stop();
    log.close();
    guard.dispose();
  }
}

function exitCodeOf({ verdict }: Trajectory, signal: Interrupt | null): number {
  if (signal && verdict.outcome === "aborted") return EXIT[signal];
  return verdict.passed ? EXIT.ok : EXIT.notPassed;
}
