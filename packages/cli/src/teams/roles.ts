import {
  CODESWARM_ROLES,
  type CodeswarmRole,
  DEV_TEAM_ROLES,
  type DevTeamRole,
  SELF_HEALING_ROLES,
  type SelfHealingRole,
} from "@swarm/agents";

/** The roles of all teams, each once: roles of the same name share their settings. */
export const TEAM_ROLES: readonly TeamRole[] = [
  ...new Set([...CODESWARM_ROLES, ...SELF_HEALING_ROLES, ...DEV_TEAM_ROLES]),
];
export type TeamRole = CodeswarmRole | SelfHealingRole | DevTeamRole;
