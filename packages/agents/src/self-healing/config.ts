import { checkInput, type Effort, EffortSchema, type JsonObject, type ModelId, type Schema } from "@swarm/core";
import { z } from "zod";
import { MEMORY_SETTINGS, type MemorySettings } from "../team-memory.ts";
import { byRole } from "../team-roles.ts";

export const SELF_HEALING_ROLES = ["architect", "developer", "debugger", "reviewer"] as const;
export type SelfHealingRole = (typeof SELF_HEALING_ROLES)[number];

/** All roles but the reviewer remember. */
export type SelfHealingSettings = MemorySettings & {
  /** Repairs after the first implementation, 0 to 10. Default 3. */
  maxDebugIterations: number;
  /** Model calls of a role in one step, 1 to 10. Default: {@link DEFAULT_CALLS}. */
  calls: Record<SelfHealingRole, number>;
  /** Output tokens of one model call of a role. Default 8192. */
  maxTokens: Partial<Record<SelfHealingRole, number>>;
  effort: Partial<Record<SelfHealingRole, Effort>>;
  temperature: Partial<Record<SelfHealingRole, number>>;
};

export const DEFAULT_CALLS: Record<SelfHealingRole, number> = {
  architect: 8,
  developer: 10,
  debugger: 10,
  reviewer: 3,
};
export const DEFAULT_EFFORT: Record<SelfHealingRole, Effort> = {
  architect: "high",
  developer: "medium",
  debugger: "high",
  reviewer: "low",
};
export const DEFAULT_TEMPERATURE: Record<SelfHealingRole, number> = {
  architect: 0.2,
  developer: 0.2,
  debugger: 0.1,
  reviewer: 0.2,
};

/** A self-healing team as data, without a key: what a worker makes the same team from. */
export type SelfHealingConfig = SelfHealingSettings & {
  /** The models of each role: the default one, then its fallbacks. */
  models: Record<SelfHealingRole, ModelId[]>;
  /** What the debugger works with after a repair that did not help. Null: as before. */
  escalation: { model?: ModelId; effort?: Effort } | null;
};

const SelfHealingConfigSchema: Schema<SelfHealingConfig> = z.strictObject({
  models: z.strictObject(bySelfHealingRole(() => z.array(z.string().min(1)).min(1))),
  escalation: z
    .strictObject({ model: z.string().min(1).exactOptional(), effort: EffortSchema.exactOptional() })
    .nullable(),
  ...MEMORY_SETTINGS,
  maxDebugIterations: z.int().min(0).max(10),
  calls: z.strictObject(bySelfHealingRole(() => z.int().min(1).max(10))),
  maxTokens: z.strictObject(bySelfHealingRole(() => z.int().positive().exactOptional())),
  effort: z.strictObject(bySelfHealingRole(() => EffortSchema.exactOptional())),
  temperature: z.strictObject(bySelfHealingRole(() => z.number().min(0).max(2).exactOptional())),
});

/** The configuration as it is. Throws an `InvalidInputError` that names the setting and says what is allowed. */
export function checkConfig(config: JsonObject): SelfHealingConfig {
  return checkInput(SelfHealingConfigSchema, config, { root: "config" });
}

/** Something for each role. */
export function bySelfHealingRole<T>(of: (role: SelfHealingRole) => T): Record<SelfHealingRole, T> {
  return byRole(SELF_HEALING_ROLES, of);
}
