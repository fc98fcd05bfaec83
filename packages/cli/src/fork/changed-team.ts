import type { TeamRef } from "@swarm/core";
import { MODEL_FLAG } from "../run/model-flags.ts";
import { type RoleFlag, roleFlags } from "../run/role-flags.ts";
import { modelsIn } from "../settings/values.ts";
import { rolesOf, teamOfRef } from "../teams/teams.ts";

const EFFORT_FLAG: RoleFlag = {
  name: "effort",
  form: "[role=]low|medium|high",
  pattern: /^(?:([^=]*)=)?(low|medium|high)$/,
};

/** A team with the models and efforts that the flags name, and all else as it was. */
export function changedTeam(team: TeamRef, flags: { model: readonly string[]; effort: readonly string[] }): TeamRef {
  const roles = rolesOf(teamOfRef(team));
  const models = [...roleFlags(MODEL_FLAG, flags.model, roles)].map(([role, ids]) => [role, modelsIn(ids)]);
  const { config } = team;
  return {
    ...team,
    config: {
      ...config,
      models: { ...objectOf(config["models"]), ...Object.fromEntries(models) },
      effort: { ...objectOf(config["effort"]), ...Object.fromEntries(roleFlags(EFFORT_FLAG, flags.effort, roles)) },
    },
  };
}

/** Whether it is one is checked where the team is made. */
function objectOf(value: unknown): object {
  return typeof value === "object" && value !== null ? value : {};
}
