import { basename, dirname, join, resolve } from "node:path";
import { createGuard, fileLogStore, forkRun } from "@swarm/core";
import { localSandbox } from "@swarm/sandbox";
import { asUsage } from "../as-usage.ts";
import { executorFrom } from "../elsewhere/executor.ts";
import { elsewhereSettings } from "../elsewhere/settings.ts";
import { sharedFrom } from "../elsewhere/shared.ts";
import type { OptionsOf } from "../flags.ts";
import { changedTeam } from "../fork/changed-team.ts";
import type { CliIO } from "../io.ts";
import { usageError } from "../parse-command-line.ts";
import { clientsOfLog, teamOfLog } from "../resume/team-of-log.ts";
import { carryOut } from "../run/carry-out.ts";
import { limitsFrom } from "../run/limits.ts";
import { memoryOfLog } from "../run/memory.ts";
import { cacheIn, preparePlaces } from "../run/prepare.ts";
import { fieldInDollars, pricesOf, refuseUnpriced } from "../run/team.ts";
import { loadSettings } from "../settings/load-settings.ts";
import { guardOptions } from "../settings/policy.ts";
import { secretsOf } from "../settings/secrets.ts";
import { findLog } from "../show/find-log.ts";
import { fromObjects, OBJECTS_BESIDE_LOG } from "../show/from-objects.ts";
import { readLog } from "../show/read-log.ts";

/** `swarm fork`: a new run that shares another one's past up to an event, and goes on with something changed. */
export async function fork(name: string, options: OptionsOf<"fork">, io: CliIO): Promise<number> {
  const at = eventFrom(options.at, name);
  const log = await findLog(name, resolve(io.cwd, options.runs ?? "runs"), io.cwd);
  const { header } = (await readLog(log)).trajectory;
  const { isolation, ...places } = await preparePlaces(options, dirname(log), io);
  const given = limitsFrom(options);
  const settings = await loadSettings(elsewhereSettings(options), io);
  const changed = { ...header, team: changedTeam(header.team, options) };
  const setBy = () => (options.model.length > 0 ? "--model" : "team");
  const memory = memoryOfLog(header, settings, io.cwd);
  const clients = await clientsOfLog(changed, settings, { cacheDirectory: cacheIn(io.cwd), setBy });
  const team = teamOfLog(changed, clients, memory);
  const limits = { ...header.limits, ...given };
  if (!options["allow-unpriced"]) refuseUnpriced(team, fieldInDollars(options, { limits }));

  const secrets = secretsOf(settings);
  const objects = join(places.runs, "objects");
  const shared = await sharedFrom(options, settings, io.cwd);
  const sandbox = localSandbox({ store: objects, isolation, secrets, ...shared });
  const elsewhere = await executorFrom(options, settings, { store: objects, isolation, io });
  const guard = createGuard(guardOptions(settings));
  const { workspace } = places;
  const run = forkRun(basename(log, ".jsonl"), {
    at,
    team,
    sandbox,
    guard,
    store: fileLogStore(places.runs),
    limits: given,
    secrets,
    allowUnpriced: options["allow-unpriced"],
    ...(options.hint === undefined ? {} : { hint: options.hint }),
    ...(options["run-id"] === undefined ? {} : { runId: options["run-id"] }),
    ...(workspace ? { workspace } : {}),
    ...(elsewhere ? { executor: elsewhere } : {}),
  });
  const parent = { runId: header.runId, at, hints: options.hint === undefined ? [] : [{ text: options.hint }] };
  const facts = () => ({ ...changed, runId: run.runId, limits, prices: pricesOf(team), tier: sandbox.tier, parent });
  try {
    return await fromObjects({ runId: header.runId, objects, right: OBJECTS_BESIDE_LOG }, () =>
      carryOut(run, { ...places, settings, json: options.json, facts, memory, guard }, io),
    );
  } catch (error) {
    throw asUsage(error, { at: "--at", hint: "--hint", runId: "--run-id" });
  } finally {
    await elsewhere?.close();
  }
}

function eventFrom(text: string | undefined, name: string): number {
  const way = `\`swarm show ${name}\` tells them`;
  if (text === undefined) throw usageError("--at", `is missing: the number of an event; ${way}`);
  if (!/^-?\d+$/.test(text)) throw usageError("--at", `has to be the number of an event, and is ${text}; ${way}`);
  return Number(text);
}
