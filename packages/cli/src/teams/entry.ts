import type { TeamFrom } from "@swarm/agents";
import type { Effort, LLMClient, Memory, Role, Team } from "@swarm/core";
import type { Settings } from "../settings/settings.ts";
import type { TeamName } from "./names.ts";
import type { TeamRole } from "./roles.ts";

/** Flags that not every team takes. */
export type TeamFlag = "race" | "max-iterations" | "qa-max-iterations" | "max-debug-iterations" | "exec-timeout";

/** What the command has to know of a team: a file of this folder for each. */
export type TeamEntry = {
  name: TeamName;
  /** Its roles, each with the model that it has where no setting and no flag names another one. */
  models: Readonly<Partial<Record<TeamRole, string>>>;
  /** Those flags that it takes. */
  flags: readonly TeamFlag[];
  /** The team, as the settings have it. */
  make(makings: Makings): Team;
  /** The team that wrote a log, from its reference there. */
  from: TeamFrom;
};

/** What a team is made from; each takes what it has a use for. */
export type Makings = {
  /** The model of every role that `models` does not name; of a list, those after the first are its fallbacks. */
  model: LLMClient | Role["models"];
  models?: Partial<Record<TeamRole, Role["models"]>>;
  /** Of the team's roles, those whose effort is set. */
  effort: Partial<Record<TeamRole, Effort>>;
  settings: Settings;
  memory?: { store: Memory; topK: number };
  race?: number;
};
