import { didYouMean, InvalidInputError, type TeamRef } from "@swarm/core";
import { usageError } from "../parse-command-line.ts";
import { CODER } from "./coder.ts";
import { CODESWARM } from "./codeswarm.ts";
import { DEV_TEAM } from "./dev-team.ts";
import type { TeamEntry, TeamFlag } from "./entry.ts";
import { TEAM_NAMES, type TeamName } from "./names.ts";
import type { TeamRole } from "./roles.ts";
import { SELF_HEALING } from "./self-healing.ts";

/** Every team of the command. Who adds one gives it a file here, a name in `names.ts`, and its roles in `roles.ts`. */
export const TEAMS: Readonly<Record<TeamName, TeamEntry>> = {
  codeswarm: CODESWARM,
  "dev-team": DEV_TEAM,
  "self-healing": SELF_HEALING,
  coder: CODER,
};

/** The team that `--team` names. Throws for another name. */
export function teamNamed(text: string): TeamEntry {
  const name = TEAM_NAMES.find((name) => name === text);
  if (name) return TEAMS[name];
  const near = didYouMean(text, TEAM_NAMES) || `; the teams are ${TEAM_NAMES.join(", ")}`;
  throw usageError("--team", `${JSON.stringify(text)} is no team${near}`);
}

/** The team that wrote a log. Throws `TEAM_MISMATCH` where there is none such here. */
export function teamOfRef({ name }: TeamRef): TeamEntry {
  const known = TEAM_NAMES.find((one) => one === name);
  if (known) return TEAMS[known];
  const problem = `the log was written by the team ${name}, and the command has ${TEAM_NAMES.join(", ")}`;
  throw new InvalidInputError("team", problem, { code: "TEAM_MISMATCH" });
}

export function rolesOf({ models }: TeamEntry): TeamRole[] {
  return Object.keys(models) as TeamRole[];
}

/** Throws where a flag does not go with the team, and names the teams that take it. */
export function requireTaken(flag: TeamFlag, { name, flags }: TeamEntry): void {
  if (flags.includes(flag)) return;
  const takers = TEAM_NAMES.filter((other) => TEAMS[other].flags.includes(flag)).join(", ");
  throw usageError(`--${flag}`, `does not go with --team ${name}; it is for ${takers}`);
}
