import type { Budget, Hint, Json, LogHeader, Parent } from "@swarm/core";
import { type Line, line, oneLine } from "./line.ts";
import { table } from "./table.ts";
import { count, dollars, formatted, seconds } from "./words.ts";

export type RunFacts = Pick<LogHeader, "runId" | "task" | "team" | "limits" | "prices" | "tier"> & {
  /** What the run was forked from. */
  parent?: (Pick<Parent, "runId" | "at"> & { hints: readonly Pick<Hint, "text">[] }) | null;
};

/** What is going to happen: which task, by whom, within which limits, and what keeps generated code in. */
export function opening(facts: RunFacts): Line[] {
  const { runId, task, team, limits, tier, parent } = facts;
  const [isolation, tone] = isolationInWords(tier);
  const roles = rolesOf(team.config);
  return [
    line(`run ${runId}`, "bold"),
    ...(parent ? [line(`forked     from run ${parent.runId}, which it shares up to event ${parent.at}`)] : []),
    ...(parent?.hints ?? []).map(({ text }) => line(`hint       ${oneLine(text, 200)}`)),
    line(`task       ${task.id}: ${oneLine(task.prompt, 90)}`),
    line(`team       ${team.name} ${team.version}${raceInWords(team.config)}`),
    line(`limits     ${limitsInWords(limits)}`),
    line(`isolation  ${isolation}`, tone),
    ...(roles.length === 0
      ? []
      : [line(""), ...table([["role", "model", "effort"], ...roles]).map((row) => line(row))]),
  ];
}

function isolationInWords(tier: string): [string, Line["tone"]?] {
  if (tier === "bubblewrap") return ["bubblewrap: no network, and nothing outside of the workspace can be changed"];
  if (tier !== "process") return [tier];
  return [
    "plain processes only: code that is tried out runs as you, with your network and your files in reach; " +
      "install bubblewrap to keep it in",
    "yellow",
  ];
}

/** By the convention that a team's configuration holds `models` and `effort` by role. */
function rolesOf({ models, effort }: LogHeader["team"]["config"]): string[][] {
  return Object.entries(recordOf(models)).map(([role, ids]) => [
    role,
    [ids].flat().join(", "),
    String(recordOf(effort)[role] ?? "default"),
  ]);
}

/** By the convention that it holds as `race` what races for a step. */
function raceInWords({ race }: LogHeader["team"]["config"]): string {
  return Array.isArray(race) ? `; ${count(race.length, "candidate")} race for each step` : "";
}

function recordOf(value: Json | undefined): Record<string, Json> {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? value : {};
}

const LIMITS: { [B in keyof Budget]: (limit: number) => string } = {
  modelCalls: (limit) => count(limit, "model call"),
  tokens: (limit) => `${formatted(limit)} tokens`,
  usd: (limit) => dollars(limit),
  toolCalls: (limit) => `${formatted(limit)} tool calls and test runs`,
  wallMs: (limit) => seconds(limit),
};

function limitsInWords(limits: Partial<Budget>): string {
  const names = Object.keys(LIMITS) as (keyof Budget)[];
  const set = names.flatMap((name) => (limits[name] === undefined ? [] : [LIMITS[name](limits[name])]));
  return set.length === 0 ? "none but those of each role and step" : set.join(", ");
}
