import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import {
  type BatchOptions,
  type BatchTask,
  canonicalJson,
  checkInput,
  fileLogStore,
  InvalidInputError,
  type JsonObject,
  type ModelId,
  type Sandbox,
  TaskSchema,
  type Team,
} from "@swarm/core";
import { cleanRoomOracle } from "@swarm/oracle";
import { localSandbox } from "@swarm/sandbox";
import { type LoadedTask, readTasks } from "@swarm/tasks";
import { type Elsewhere, executorFrom, requireThere } from "../elsewhere/executor.ts";
import { elsewhereSettings } from "../elsewhere/settings.ts";
import { sharedFrom } from "../elsewhere/shared.ts";
import type { OptionsOf } from "../flags.ts";
import type { CliIO } from "../io.ts";
import { isFolder } from "../kind-of-file.ts";
import { ISOLATIONS, oneOf } from "../one-of.ts";
import { usageError } from "../parse-command-line.ts";
import { requireWritable } from "../require-writable.ts";
import { limitsFrom, numberAbove0 } from "../run/limits.ts";
import { modelFlags, modelSetBy } from "../run/model-flags.ts";
import { modelsFor } from "../run/models.ts";
import { cacheIn } from "../run/prepare.ts";
import { freeMock, pricesOf, refuseModels, refuseUnpriced, teamOf } from "../run/team.ts";
import { teamFlags } from "../run/team-flags.ts";
import type { Origin } from "../run/wanted-task.ts";
import { loadSettings } from "../settings/load-settings.ts";
import { secretsOf } from "../settings/secrets.ts";
import type { Settings } from "../settings/settings.ts";
import type { TeamEntry } from "../teams/entry.ts";
import type { TeamName } from "../teams/names.ts";
import { rolesOf, teamNamed } from "../teams/teams.ts";
import { ratesFrom } from "./limits.ts";

type Options = OptionsOf<"batch">;

/** A batch that nothing stands against any more. */
export type PreparedBatch = {
  tasks: AsyncIterable<BatchTask>;
  /** How many runs it is going to have, those before a resume too. */
  runs: number;
  options: BatchOptions;
  sandbox: Sandbox;
  settings: Settings;
  failUnder: number | null;
  /** Where steps run, if not here. Who has it closes it. */
  elsewhere: Elsewhere | null;
};

/**
 * Settles all that can be refused: every task is read and checked once before the first run. Throws for the first thing that
 * is wrong; calls nothing, and leaves nothing behind.
 */
export async function prepareBatch(options: Options, io: CliIO): Promise<PreparedBatch> {
  const logs = resolve(io.cwd, options.runs);
  const store = join(logs, "objects");
  for (const folder of [logs, store]) requireWritable("--runs", folder);
  const numbers = numbersIn(options);
  const limits = limitsFrom(options);
  const isolation = oneOf("--isolation", options.isolation, ISOLATIONS);
  const team = teamNamed(options.team);
  const flags = modelFlags(options.model, rolesOf(team));
  if (options.mock) refuseModels(options);
  const folder = join(logs, batchIdFrom(options, logs));
  const settings = await loadSettings({ ...flags, ...teamFlags(options, team), ...elsewhereSettings(options) }, io);
  const name = tasksFrom(options.tasks, io.cwd);
  const { count, sha256, first, usdLimit } = await checkTasks(name, options.mock ? team.name : null);

  const clients = { cacheDirectory: cacheIn(io.cwd), setBy: modelSetBy(flags) };
  const models = options.mock ? null : await modelsFor(team, settings, clients);
  const shared = models && teamOf(team, models, settings);
  if (shared && !options["allow-unpriced"]) refuseUnpriced(shared, usdFlag(options) ?? usdLimit);
  const secrets = secretsOf(settings);
  const failUnder = rateFrom(options["fail-under"]);
  const rates = ratesFrom(options, shared ? providersOf(shared) : [providerOf(MOCK_ID)]);
  const sandbox = localSandbox({ store, isolation, secrets, ...(await sharedFrom(options, settings, io.cwd)) });
  void sandbox.tier; // throws where the isolation that is required does not work

  const plan: JsonObject = {
    tasks: options.tasks!,
    tasksSha256: sha256,
    mock: options.mock,
    team: team.name,
    ...(shared ? { config: shared.config } : {}),
  };
  const places = options["team-concurrency"];
  const teamConcurrency =
    places === undefined ? {} : { teamConcurrency: { [team.name]: numberAbove0("--team-concurrency", places, true) } };
  const elsewhere = await executorFrom(options, settings, { store, isolation, io });
  const run = {
    sandbox,
    store: fileLogStore(logs),
    limits,
    secrets,
    allowUnpriced: options["allow-unpriced"],
    ...(elsewhere ? { executor: elsewhere } : {}),
  };
  const teamFor = (loaded: LoadedTask) => shared ?? mockTeam(team, loaded, settings);
  await requireThere(elsewhere, teamFor(first));
  return {
    tasks: batchTasks(name, teamFor),
    runs: count * numbers.repeat,
    options: { folder, resume: options.resume, plan, run, rates, ...teamConcurrency, ...numbers },
    sandbox,
    settings,
    failUnder,
    elsewhere,
  };
}

async function* batchTasks(name: string, teamFor: (loaded: LoadedTask) => Team): AsyncGenerator<BatchTask> {
  for await (const loaded of readTasks(name)) {
    const origin: Origin = { task: loaded.id, tasks: name };
    yield { task: loaded.task, run: { team: teamFor(loaded), origin } };
  }
}

/** All scripts have one name, so that runs share their breakers as those with a real model do. */
const MOCK_ID = "mock:batch";

function mockTeam(entry: TeamEntry, loaded: LoadedTask, settings: Settings): Team {
  return teamOf(entry, { model: { ...freeMock(loaded, entry.name), id: MOCK_ID } }, settings);
}

function providersOf(team: Team): string[] {
  return [...new Set(Object.keys(pricesOf(team)).map(providerOf))];
}

function providerOf(model: ModelId): string {
  return model.split(":", 1)[0]!;
}

/**
 * Reads every task once, with the script that it has for the team of a scripted batch. `sha256` is one of all of them, and `usdLimit`
 * what sets a limit in dollars among them.
 */
async function checkTasks(
  name: string,
  scriptedTeam: TeamName | null,
): Promise<{ count: number; sha256: string; first: LoadedTask; usdLimit: string | null }> {
  const oracle = cleanRoomOracle();
  const ids = new Set<string>();
  const hash = createHash("sha256");
  let first: LoadedTask | null = null;
  let usdLimit: string | null = null;
  for await (const loaded of readTasks(name)) {
    if (ids.has(loaded.id)) throw usageError("--tasks", `${name} has two tasks with the id ${loaded.id}`);
    ids.add(loaded.id);
    hash.update(`${canonicalJson(loaded.task)}\n`);
    first ??= loaded;
    if (loaded.task.limits?.usd !== undefined) usdLimit ??= "limits.usd";
    try {
      checkInput(TaskSchema, loaded.task, { root: "task" });
      oracle.validate(loaded.task);
      if (scriptedTeam) freeMock(loaded, scriptedTeam);
    } catch (error) {
      if (!(error instanceof InvalidInputError)) throw error;
      const { field, code, message } = error;
      const what = message.replace(`${field}: `, "");
      throw new InvalidInputError(field, `${what} (of the task ${loaded.title})`, { code, cause: error });
    }
  }
  if (first === null) throw usageError("--tasks", `${name} has no task`);
  return { count: ids.size, sha256: hash.digest("hex"), first, usdLimit };
}

function tasksFrom(name: string | undefined, cwd: string): string {
  if (name === undefined)
    throw usageError("--tasks", "is missing: all, a built-in task or a glob of them (see swarm tasks), or a path");
  const path = resolve(cwd, name);
  return name.endsWith(".json") || name.endsWith(".jsonl") || isFolder(path) ? path : name;
}

function numbersIn(options: Options) {
  const usd = options["budget-usd"];
  return {
    repeat: numberAbove0("--repeat", options.repeat, true),
    concurrency: numberAbove0("--concurrency", options.concurrency, true),
    ...(usd === undefined ? {} : { usd: numberAbove0("--budget-usd", usd, false) }),
  };
}

function usdFlag(options: Options): string | null {
  if (options["budget-usd"] !== undefined) return "--budget-usd";
  return options["max-usd"] === undefined ? null : "--max-usd";
}

function rateFrom(text: string | undefined): number | null {
  if (text === undefined) return null;
  const rate = /^\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
  if (rate >= 0 && rate <= 1) return rate;
  throw usageError("--fail-under", `has to be a number from 0 to 1, and is ${JSON.stringify(text)}`);
}

/** As core takes it for a batch's id, so that what is wrong with it is told as a flag. */
function batchIdFrom({ batch, resume }: Options, logs: string): string {
  if (batch === undefined) {
    if (resume) throw usageError("--resume", "needs --batch with the id of the batch to go on with");
    return newBatchId();
  }
  if (!/^[A-Za-z0-9][\w-]{0,59}$/.test(batch))
    throw usageError("--batch", `has to be 1 to 60 letters, digits, '_' or '-', and is ${JSON.stringify(batch)}`);
  const isThere = existsSync(join(logs, batch, "batch.jsonl"));
  if (isThere && !resume) throw usageError("--batch", `${batch} is there already: go on with it by --resume`);
  if (!isThere && resume) throw usageError("--batch", `there is no batch ${batch} in ${logs}`);
  return batch;
}

function newBatchId(): string {
  return `batch-${new Date()
    .toISOString()
    .replaceAll(/[-:]|\..*$/g, "")
    .replace("T", "-")}`;
}
