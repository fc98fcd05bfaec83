import { checkInput, type Effort, EffortSchema, type JsonObject, type ModelId, type Schema } from "@swarm/core";
import { z } from "zod";
import { MEMORY_SETTINGS, type MemorySettings } from "../team-memory.ts";
import { byRole } from "../team-roles.ts";

export const DEV_TEAM_ROLES = ["pm", "coder", "qa"] as const;
export type DevTeamRole = (typeof DEV_TEAM_ROLES)[number];

/** PM and coder are the roles that remember. */
export type DevTeamSettings = MemorySettings & {
  /** Test runs of QA for a task, 1 to 5; one less are the fixes of its code. Default 5. */
  maxRounds: number;
  /** Model calls in one step, 1 to 10. Default: {@link DEFAULT_CALLS}. QA has one for each answer, and one more where that is no good. */
  calls: Record<Exclude<DevTeamRole, "qa">, number>;
  /** Output tokens of one model call of a role. Default 8192. */
  maxTokens: Partial<Record<DevTeamRole, number>>;
  effort: Partial<Record<DevTeamRole, Effort>>;
  /** Seconds that a command of the coder may take where its call names no limit, 1 to 120. Default 10. */
  commandTimeoutSeconds: number;
};

export const DEFAULT_CALLS: DevTeamSettings["calls"] = { pm: 7, coder: 10 };

/** A devTeam as data, without a key: what a worker makes the same team from. */
export type DevTeamConfig = DevTeamSettings & {
  /** The models of each role: the default one, then its fallbacks. */
  models: Record<DevTeamRole, ModelId[]>;
};

const calls = z.int().min(1).max(10);

const DevTeamConfigSchema: Schema<DevTeamConfig> = z.strictObject({
  models: z.strictObject(byDevTeamRole(() => z.array(z.string().min(1)).min(1))),
  maxRounds: z.int().min(1).max(5),
  calls: z.strictObject({ pm: calls, coder: calls }),
  maxTokens: z.strictObject(byDevTeamRole(() => z.int().positive().exactOptional())),
  effort: z.strictObject(byDevTeamRole(() => EffortSchema.exactOptional())),
  commandTimeoutSeconds: z.int().min(1).max(120),
  ...MEMORY_SETTINGS,
});

/** The configuration as it is. Throws an `InvalidInputError` that names the setting and says what is allowed. */
export function checkConfig(config: JsonObject): DevTeamConfig {
  return checkInput(DevTeamConfigSchema, config, { root: "config" });
}

/** Something for each role. */
export function byDevTeamRole<T>(of: (role: DevTeamRole) => T): Record<DevTeamRole, T> {
  return byRole(DEV_TEAM_ROLES, of);
}
