import { isAbsolute, join, relative, resolve, sep } from "node:path";
import { type Budget, InvalidInputError, type Sandbox, type Task, type Team } from "@swarm/core";
import { cleanRoomOracle } from "@swarm/oracle";
import { isIgnored, localSandbox } from "@swarm/sandbox";
import { loadTask } from "@swarm/tasks";
import { requireEmpty } from "../files-folder.ts";
import type { OptionsOf } from "../flags.ts";
import type { CliIO } from "../io.ts";
import { ISOLATIONS, oneOf } from "../one-of.ts";
import { usageError } from "../parse-command-line.ts";
import { requireWritable } from "../require-writable.ts";
import { loadSettings } from "../settings/load-settings.ts";
import { secretsOf } from "../settings/secrets.ts";
import { SETTINGS, type Settings } from "../settings/settings.ts";
import { limitsFrom } from "./limits.ts";
import { modelFlags } from "./model-flags.ts";
import { teamFor } from "./team.ts";

type Options = OptionsOf<"run">;

/** A run that nothing stands against any more. */
export type Prepared = {
  task: Task;
  team: Team;
  sandbox: Sandbox;
  limits: Partial<Budget>;
  settings: Settings;
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
export async function prepare(options: Options, io: CliIO): Promise<Prepared> {
  const out = options.out === undefined ? null : resolve(io.cwd, options.out);
  if (out) await requireEmpty("--out", out);
  const runs = resolve(io.cwd, options.runs);
  const store = join(runs, "objects");
  for (const folder of [runs, store]) requireWritable("--runs", folder);
  const workspace = options.workspace === undefined ? null : resolve(io.cwd, options.workspace);
  if (workspace) requireApart(workspace, runs);
  const limits = limitsFrom(options);
  const isolation = oneOf("--isolation", options.isolation, ISOLATIONS);
  const log = oneOf("--log", options.log, LOGS);
  const flags = modelFlags(options.model);
  const settings = await loadSettings(flags, io);
  const loaded = await loadTask(taskFrom(options.task, io.cwd));
  cleanRoomOracle().validate(loaded.task); // what is wrong with the task comes before what its team lacks
  const team = await teamFor(loaded, options, settings, {
    cacheDirectory: join(io.cwd, ".swarm", "cache"),
    setBy: (role) => (flags[`${role}Model`] === undefined ? SETTINGS[`${role}Model`].variable : "--model"),
  });
  const sandbox = localSandbox({ store, isolation, secrets: secretsOf(settings) });
  return { task: loaded.task, team, sandbox, limits, settings, runs, workspace, out, log };
}

/** Logs in a workspace would be part of it, unless they are in a folder that no snapshot looks into. */
function requireApart(workspace: string, runs: string): void {
  requireWritable("--workspace", workspace);
  const path = relative(workspace, runs);
  if (path.split(sep)[0] === ".." || isAbsolute(path) || isIgnored(path)) return;
  const way = `name another folder, such as --runs ${join(workspace, ".swarm", "runs")}`;
  throw new InvalidInputError("--workspace", `${workspace} holds the folder of the logs, ${runs}; ${way}`);
}

function taskFrom(name: string | undefined, cwd: string): string {
  if (name === undefined)
    throw usageError("--task", "is missing: name a built-in task (see swarm tasks) or a task file");
  return name.endsWith(".json") ? resolve(cwd, name) : name;
}
