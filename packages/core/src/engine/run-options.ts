import { checkInput } from "../check-input.ts";
import { type Clock, systemClock } from "../clock.ts";
import { type Budget, LimitsSchema } from "../contracts/budget.ts";
import type { Executor } from "../contracts/executor.ts";
import type { LLMClient } from "../contracts/model.ts";
import type { Oracle } from "../contracts/oracle.ts";
import type { Sandbox } from "../contracts/sandbox.ts";
import type { TestRunner } from "../contracts/suite.ts";
import type { Task } from "../contracts/task.ts";
import type { Team } from "../contracts/team.ts";
import { defineTeam } from "../define-team.ts";
import type { Guard } from "../guard/guard.ts";
import { fileLogStore } from "../log/file-log-store.ts";
import type { LogContent, LogStore, LogWriter } from "../log/log-store.ts";
import type { Winners } from "../log/races.ts";
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
  /** Retry and breakers. Default: one of this run's own. One that is given may be shared by many runs; its owner disposes of it. */
  guard?: Guard;
  clock?: Clock;
};

/** The options with every default in its place. */
export type Ports = Required<Omit<RunOptions, "signal" | "limits" | "guard">> & {
  limits: Partial<Budget>;
  signal: AbortSignal | null;
  guard: Guard | null;
};

/** A run that is ready to go, or to go on: its log is open for writing. */
export type Launch = { ports: Ports; task: Task; past: LogContent; writer: LogWriter; winners: Winners };

export function resolvePorts(options: RunOptions): Ports {
  const { team } = options;
  defineTeam(team);
  const limits = checkInput(LimitsSchema, options.limits ?? {}, { root: "limits", prefix: "limits" });
  return {
    team,
    executor: options.executor ?? new LocalExecutor(),
    sandbox: options.sandbox ?? team.defaults.sandbox(),
    tests: options.tests ?? team.defaults.tests(),
    oracle: options.oracle ?? team.defaults.oracle(),
    store: options.store ?? fileLogStore(),
    clock: options.clock ?? systemClock,
    limits,
    signal: options.signal ?? null,
    guard: options.guard ?? null,
  };
}

/** Every model of a team, each once. */
export function modelsOf(team: Team): LLMClient[] {
  return [...new Set(Object.values(team.roles).flatMap((role) => role.models))];
}
