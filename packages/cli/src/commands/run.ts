import { createGuard, fileLogStore, startRun, viewOf } from "@swarm/core";
import { EXIT } from "../exit-codes.ts";
import type { OptionsOf } from "../flags.ts";
import type { CliIO } from "../io.ts";
import { carryOut } from "../run/carry-out.ts";
import { projectMemory, resetMemory } from "../run/memory.ts";
import { prepare } from "../run/prepare.ts";
import { pricesOf } from "../run/team.ts";
import { loadSettings } from "../settings/load-settings.ts";
import { guardOptions } from "../settings/policy.ts";
import { secretsOf } from "../settings/secrets.ts";

/** `swarm run`: settles all that can be refused, then runs, shows the run, and hands over what came of it. */
export async function run(asked: string | null, options: OptionsOf<"run">, io: CliIO): Promise<number> {
  if (options["reset-memory"] && asked === null && options.task === undefined) {
    await resetMemory(await loadSettings({}, io), options.json, io);
    return EXIT.ok;
  }
  const { task, origin, team, sandbox, limits, elsewhere, ...manner } = await prepare(asked, options, io);
  const { settings, runs, workspace } = manner;
  if (options["reset-memory"]) await projectMemory(settings, io.cwd).clear();
  const guard = createGuard(guardOptions(settings));
  const store = fileLogStore(runs);
  const rules = { limits, allowUnpriced: options["allow-unpriced"], secrets: secretsOf(settings) };
  const started = startRun(task, {
    team,
    sandbox,
    guard,
    store,
    ...(workspace ? { workspace } : {}),
    ...(origin ? { origin } : {}),
    ...(elsewhere ? { executor: elsewhere } : {}),
    ...rules,
  });
  const facts = () => ({
    runId: started.runId,
    task: viewOf(task),
    team,
    limits: { ...task.limits, ...limits },
    prices: pricesOf(team),
    tier: sandbox.tier,
  });
  try {
    return await carryOut(started, { ...manner, json: options.json, facts, guard }, io);
  } finally {
    await elsewhere?.close();
  }
}
