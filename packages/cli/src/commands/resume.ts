import { basename, dirname, join, resolve } from "node:path";
import { createGuard, fileLogStore, InvalidInputError, isDecided, type LogHeader, resumeRun } from "@swarm/core";
import { localSandbox } from "@swarm/sandbox";
import { executorFrom, requireThere } from "../elsewhere/executor.ts";
import { elsewhereSettings } from "../elsewhere/settings.ts";
import { sharedFrom } from "../elsewhere/shared.ts";
import type { OptionsOf } from "../flags.ts";
import type { CliIO } from "../io.ts";
import { usageError } from "../parse-command-line.ts";
import { clientsOfLog, teamOfLog } from "../resume/team-of-log.ts";
import { carryOut } from "../run/carry-out.ts";
import { limitsFrom } from "../run/limits.ts";
import { memoryOfLog } from "../run/memory.ts";
import { cacheIn, preparePlaces } from "../run/prepare.ts";
import { loadSettings } from "../settings/load-settings.ts";
import { guardOptions } from "../settings/policy.ts";
import { secretsOf } from "../settings/secrets.ts";
import { findLog } from "../show/find-log.ts";
import { fromObjects, OBJECTS_BESIDE_LOG } from "../show/from-objects.ts";
import { readLog } from "../show/read-log.ts";

/** `swarm resume`: goes on with a run from its log, as its first process would have. */
export async function resume(name: string, options: OptionsOf<"resume">, io: CliIO): Promise<number> {
  const log = await findLog(name, resolve(io.cwd, options.runs ?? "runs"), io.cwd);
  const { trajectory } = await readLog(log);
  const { header, events } = trajectory;
  requireNamedAsRun(log, header);
  const { isolation, ...places } = await preparePlaces(options, dirname(log), io);
  const limits = limitsFrom(options);
  if (limits.usd !== undefined) requirePrices(header);
  const settings = await loadSettings(elsewhereSettings(options), io);
  const models = { cacheDirectory: cacheIn(io.cwd), setBy: () => "team" };
  const memory = memoryOfLog(header, settings, io.cwd);
  const clients = isDecided(events) ? new Map() : await clientsOfLog(header, settings, models);
  const team = teamOfLog(header, clients, memory);

  const secrets = secretsOf(settings);
  const objects = join(places.runs, "objects");
  const shared = await sharedFrom(options, settings, io.cwd);
  const sandbox = localSandbox({ store: objects, isolation, secrets, ...shared });
  const elsewhere = await executorFrom(options, settings, { store: objects, isolation, io });
  const guard = createGuard(guardOptions(settings));
  const store = fileLogStore(places.runs);
  const { workspace } = places;
  const ports = {
    team,
    sandbox,
    guard,
    store,
    limits,
    secrets,
    ...(workspace ? { workspace } : {}),
    ...(elsewhere ? { executor: elsewhere } : {}),
  };
  const facts = () => ({ ...header, limits: { ...header.limits, ...limits } });
  try {
    if (!isDecided(events)) await requireThere(elsewhere, header.team);
    const run = resumeRun(header.runId, ports);
    return await fromObjects({ runId: header.runId, objects, right: OBJECTS_BESIDE_LOG }, () =>
      carryOut(run, { ...places, settings, json: options.json, facts, memory, guard }, io),
    );
  } finally {
    await elsewhere?.close();
  }
}

/** A log that was copied under another name is no second run: both would write of the same. */
function requireNamedAsRun(log: string, { runId }: LogHeader): void {
  if (basename(log) === `${runId}.jsonl`) return;
  throw new InvalidInputError("run", `${log} is the log of run ${runId}; name it ${runId}.jsonl to go on with it`);
}

function requirePrices({ prices }: LogHeader): void {
  const unpriced = Object.keys(prices).filter((id) => prices[id] === null);
  if (unpriced.length === 0) return;
  const problem = `dollars cannot be counted: no price is known of ${unpriced.join(", ")}; use --max-tokens`;
  throw usageError("--max-usd", problem);
}
