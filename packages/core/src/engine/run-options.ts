import { type Clock, systemClock } from "../clock.ts";
import { type Budget, LimitsSchema } from "../contracts/budget.ts";
import type { Executor } from "../contracts/executor.ts";
import type { LLMClient } from "../contracts/model.ts";
import type { Oracle } from "../contracts/oracle.ts";
import type { Sandbox } from "../contracts/sandbox.ts";
import type { TestRunner } from "../contracts/suite.ts";
import type { Task } from "../contracts/task.ts";
import type { Team } from "../contracts/team.ts";
import { InvalidInputError } from "../errors.ts";
import { fileLogStore } from "../log/file-log-store.ts";
import type { LogContent, LogStore, LogWriter } from "../log/log-store.ts";
import { LocalExecutor } from "./local-executor.ts";

export type RunOptions = {
  team: Team;
  /** Where steps run. Default: {@link LocalExecutor}, this process. */
  executor?: Executor;
  /** Default: the team's. */
  sandbox?: Sandbox;
  /** Default: the team's. */
  tests?: TestRunner;
  /** Default: the team's. */
  oracle?: Oracle;
  /** Where the log is kept. Default: files below `runs/` in the current folder. */
  store?: LogStore;
  /** Goes before the task's own limits. Default: none. */
  limits?: Partial<Budget>;
  /** Aborting it ends the run within a second, with the verdict `aborted`. */
  signal?: AbortSignal;
  clock?: Clock;
};

/** The options with every default in its place. */
export type Ports = Required<Omit<RunOptions, "signal" | "limits">> & {
  limits: Partial<Budget>;
  signal: AbortSignal | null;
};

/** A run that is ready to go, or to go on: its log is open for writing. */
export type Launch = { ports: Ports; task: Task; past: LogContent; writer: LogWriter };

export function resolvePorts(options: RunOptions): Ports {
  const { team } = options;
  validateTeam(team);
  const limits = LimitsSchema.safeParse(options.limits ?? {});
  if (!limits.success)
    throw new InvalidInputError(
      ["limits", ...(limits.error.issues[0]?.path ?? [])].join("."),
      limits.error.issues[0]!.message,
    );
  return {
    team,
    executor: options.executor ?? new LocalExecutor(),
    sandbox: options.sandbox ?? team.defaults.sandbox(),
    tests: options.tests ?? team.defaults.tests(),
    oracle: options.oracle ?? team.defaults.oracle(),
    store: options.store ?? fileLogStore(),
    clock: options.clock ?? systemClock,
    limits: limits.data,
    signal: options.signal ?? null,
  };
}

/** Models would be told of two tools of one name, and a step's program would be a matter of luck: refused before anything runs. */
function validateTeam({ roles, programs }: Team): void {
  for (const [name, role] of Object.entries(roles)) {
    const twice = duplicate(role.tools.map((tool) => tool.name));
    if (twice)
      throw new InvalidInputError(`team.roles.${name}.tools`, `two tools are called ${twice}; names must differ`);
  }
  const twice = duplicate(programs.map((program) => program.name));
  if (twice) throw new InvalidInputError("team.programs", `two programs are called ${twice}; names must differ`);
}

function duplicate(names: readonly string[]): string | undefined {
  return names.find((name, index) => names.indexOf(name) !== index);
}

/** Every model of a team, each once. */
export function modelsOf(team: Team): LLMClient[] {
  return [...new Set(Object.values(team.roles).flatMap((role) => role.models))];
}
