import { SETTINGS, type Settings } from "../settings/settings.ts";
import type { TeamRole } from "../teams/roles.ts";
import { type RoleFlag, roleFlags } from "./role-flags.ts";

/** The name behind a provider may hold colons and equals signs. */
export const MODEL_FLAG: RoleFlag = {
  name: "model",
  form: "[role=]<provider>:<model>",
  pattern: /^(?:([^=:]*)=)?([^\s=:]+(?::\S+)?)$/,
};

/** What `--model` sets: a role's model, and one for each role that it does not name. Throws for a flag that is wrong. */
export function modelFlags(given: readonly string[], roles: readonly TeamRole[]): Partial<Settings> {
  const models = roleFlags(MODEL_FLAG, given, roles);
  return Object.fromEntries([...models].map(([role, model]) => [`${role}Model`, model]));
}

/** What set the model of a role: `--model`, where `flags` have it, else the role's variable. */
export function modelSetBy(flags: Partial<Settings>): (role: TeamRole) => string {
  return (role) => (flags[`${role}Model`] === undefined ? SETTINGS[`${role}Model`].variable : "--model");
}
