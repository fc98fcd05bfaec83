import { isAbsolute, join, relative, resolve, sep } from "node:path";
import { type Budget, InvalidInputError, type Sandbox, type Task, type Team } from "@swarm/core";
import type { MemoryStore } from "@swarm/memory";
import { cleanRoomOracle } from "@swarm/oracle";
import { type IsolationChoice, isIgnored, localSandbox } from "@swarm/sandbox";
import { type Elsewhere, executorFrom } from "../elsewhere/executor.ts";
import { elsewhereSettings } from "../elsewhere/settings.ts";
import { sharedFrom } from "../elsewhere/shared.ts";
import { requireEmpty } from "../files-folder.ts";
import type { OptionsOf } from "../flags.ts";
import type { CliIO } from "../io.ts";
import { ISOLATIONS, oneOf } from "../one-of.ts";
import { requireWritable } from "../require-writable.ts";
import { loadSettings } from "../settings/load-settings.ts";
import { secretsOf } from "../settings/secrets.ts";
import type { Settings } from "../settings/settings.ts";
import { rolesOf, teamNamed } from "../teams/teams.ts";
import { limitsFrom } from "./limits.ts";
import { passingMemory, projectMemory } from "./memory.ts";
import { modelFlags, modelSetBy } from "./model-flags.ts";
import { teamFor } from "./team.ts";
import { teamFlags } from "./team-flags.ts";
import { type Origin, wantedTask } from "./wanted-task.ts";

type Options = OptionsOf<"run">;
/** What says where a run's files go and how it is shown. */
type PlaceOptions = Pick<Options, "out" | "workspace" | "isolation" | "log">;

/** A run that nothing stands against any more. */
export type Prepared = {
  task: Task;
  /** Where the task came from, for who resumes the run; null for one in words, of which the log holds all. */
  origin: Origin | null;
  team: Team;
  limits: Partial<Budget>;
  settings: Settings;
  sandbox: Sandbox;
  memory: MemoryStore;
  /** Where steps run, if not here. Who has it closes it. */
  elsewhere: Elsewhere | null;
} & Places;

export type Places = {
  /** Folder of the logs. */
  runs: string;
  /** The folder that the run works for. */
  workspace: string | null;
  /** Where the files go in the end. */
  out: string | null;
  /** Whether stderr shows the run to a person, or as JSON lines. */
  log: (typeof LOGS)[number];
};

const LOGS = ["progress", "json"] as const;

/** Settles all that can be refused. Throws for the first thing that is wrong; calls nothing, and leaves nothing behind. */
export async function prepare(asked: string | null, options: Options, io: CliIO): Promise<Prepared> {
  const { isolation, ...places } = await preparePlaces(options, resolve(io.cwd, options.runs), io);
  const limits = limitsFrom(options);
  const entry = teamNamed(options.team);
  const flags = modelFlags(options.model, rolesOf(entry));
  const settings = await loadSettings({ ...flags, ...teamFlags(options, entry), ...elsewhereSettings(options) }, io);
  const { loaded, origin } = await wantedTask(asked, options, io.cwd);
  cleanRoomOracle().validate(loaded.task); // what is wrong with the task comes before what its team lacks
  const memory = options.mock ? passingMemory() : projectMemory(settings, io.cwd);
  const models = { cacheDirectory: cacheIn(io.cwd), setBy: modelSetBy(flags) };
  const team = await teamFor(entry, loaded, options, settings, models, memory);
  const store = join(places.runs, "objects");
  const shared = await sharedFrom(options, settings, io.cwd);
  const sandbox = localSandbox({ store, isolation, secrets: secretsOf(settings), ...shared });
  const elsewhere = await executorFrom(options, settings, { store, isolation, io });
  return { task: loaded.task, origin, team, sandbox, limits, settings, memory, elsewhere, ...places };
}

/** Where answers that may be cached are kept. */
export function cacheIn(cwd: string): string {
  return join(cwd, ".swarm", "cache");
}

/** The folders and the isolation of a run whose log is in `runs`. Throws for what cannot be used. */
export async function preparePlaces(
  options: PlaceOptions,
  runs: string,
  io: CliIO,
): Promise<Places & { isolation: IsolationChoice }> {
  const out = options.out === undefined ? null : resolve(io.cwd, options.out);
  if (out) await requireEmpty("--out", out);
  const store = join(runs, "objects");
  for (const folder of [runs, store]) requireWritable("--runs", folder);
  const workspace = options.workspace === undefined ? null : resolve(io.cwd, options.workspace);
  if (workspace) requireApart(workspace, runs);
  const isolation = oneOf("--isolation", options.isolation, ISOLATIONS);
  return { runs, workspace, out, isolation, log: oneOf("--log", options.log, LOGS) };
}

/** Logs in a workspace would be part of it, unless they are in a folder that no snapshot looks into. */
function requireApart(workspace: string, runs: string): void {
  requireWritable("--workspace", workspace);
  const path = relative(workspace, runs);
  if (path.split(sep)[0] === ".." || isAbsolute(path) || isIgnored(path)) return;
  const way = `name another folder, such as --runs ${join(workspace, ".swarm", "runs")}`;
  throw new InvalidInputError("--workspace", `${workspace} holds the folder of the logs, ${runs}; ${way}`);
}
