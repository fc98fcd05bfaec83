import { checkInput } from "../check-input.ts";
import { type Clock, systemClock } from "../clock.ts";
import { type Budget, LimitsSchema } from "../contracts/budget.ts";
import type { Executor, Site } from "../contracts/executor.ts";
import { type JsonObject, JsonObjectSchema } from "../contracts/json.ts";
import type { LLMClient } from "../contracts/model.ts";
import type { Oracle } from "../contracts/oracle.ts";
import type { HeldDirectory, Sandbox } from "../contracts/sandbox.ts";
import type { TestRunner } from "../contracts/suite.ts";
import type { Task } from "../contracts/task.ts";
import type { Team } from "../contracts/team.ts";
import { defineTeam } from "../define-team.ts";
import { didYouMean } from "../did-you-mean.ts";
import { InvalidInputError } from "../errors.ts";
import type { Guard } from "../guard/guard.ts";
import { fileLogStore } from "../log/file-log-store.ts";
import type { LogContent, LogStore, LogWriter } from "../log/log-store.ts";
import type { Winners } from "../log/races.ts";
import { createRedactor, type Redact } from "../redact.ts";
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
  /**
   * A directory that stays: what is in it is what the run begins from, with the task's starter files where it has none of that
   * name and the task's tests over both, and what passed is written to it. No other run can work for it meanwhile. A replay
   * leaves it alone. Default: none.
   */
  workspace?: string;
  /** Where the log is kept. Default: files below `runs/` in the current folder. */
  store?: LogStore;
  /** Goes before the task's own limits. Default: none. */
  limits?: Partial<Budget>;
  /** Aborting it ends the run within a second, with the verdict `aborted`. */
  signal?: AbortSignal;
  /** Retry and breakers. Default: one of this run's own. One that is given may be shared by many runs; its owner disposes of it. */
  guard?: Guard;
  /**
   * Values that never enter a log or a prompt, such as keys; shorter than 8 characters they are left alone. A task with a file
   * that holds one is refused. Default: none.
   */
  secrets?: readonly string[];
  /** Lets a budget in dollars stand though some model has no price. Its calls then count as nothing. Default false. */
  allowUnpriced?: boolean;
  /**
   * What whoever goes on with the run later has to know beyond its task and team, such as where the task came from. It stands in
   * the log's header as `measured.origin`; a run that is resumed or forked keeps the one it has. Default: nothing.
   */
  origin?: JsonObject;
  clock?: Clock;
};

/** The options with every default in its place. */
export type Ports = Required<Omit<RunOptions, "signal" | "limits" | "guard" | "workspace">> & {
  workspace: string | null;
  limits: Partial<Budget>;
  guard: Guard | null;
  redact: Redact;
};

/** A run that is ready to go, or to go on: its log is open for writing. */
export type Launch = {
  ports: Ports;
  task: Task;
  past: LogContent;
  writer: LogWriter;
  winners: Winners;
  replay?: Site["replay"];
  /** What the run works for, until it is over. */
  directory?: HeldDirectory | null;
  /** The process that wrote to the log before and died. */
  tookOver?: number | null;
};

const OPTIONS: readonly string[] = Object.keys({
  team: 0,
  executor: 0,
  sandbox: 0,
  tests: 0,
  oracle: 0,
  workspace: 0,
  store: 0,
  limits: 0,
  signal: 0,
  guard: 0,
  secrets: 0,
  allowUnpriced: 0,
  origin: 0,
  clock: 0,
} satisfies Record<keyof RunOptions, 0>);

export function resolvePorts(options: RunOptions): Ports {
  const { team } = options ?? {};
  if (typeof team?.workflow !== "function")
    throw new InvalidInputError("team", "is missing: give the team that runs the task");
  const unknown = Object.keys(options).find((name) => !OPTIONS.includes(name));
  if (unknown) throw new InvalidInputError(unknown, `is no option of a run${didYouMean(unknown, OPTIONS)}`);
  defineTeam(team);
  const limits = checkInput(LimitsSchema, options.limits ?? {}, { root: "limits", prefix: "limits" });
  return {
    team,
    executor: options.executor ?? new LocalExecutor(),
    sandbox: options.sandbox ?? team.defaults.sandbox(),
    tests: options.tests ?? team.defaults.tests(),
    oracle: options.oracle ?? team.defaults.oracle(),
    workspace: options.workspace ?? null,
    store: options.store ?? fileLogStore(),
    clock: options.clock ?? systemClock,
    limits,
    guard: options.guard ?? null,
    allowUnpriced: options.allowUnpriced ?? false,
    origin: checkInput(JsonObjectSchema, options.origin ?? {}, { root: "origin" }),
    secrets: options.secrets ?? [],
    redact: createRedactor(options.secrets),
  };
}

/** Every model of a team, each once. */
export function modelsOf(team: Team): LLMClient[] {
  return [...new Set(Object.values(team.roles).flatMap((role) => role.models))];
}
