import { checkInput, type Effort, EffortSchema, type JsonObject, type ModelId, type Schema } from "@swarm/core";
import { z } from "zod";
import { MEMORY_SETTINGS, type MemorySettings } from "../team-memory.ts";

export const CODER_ROLES = ["coder"] as const;
export type CoderRole = (typeof CODER_ROLES)[number];

export type CoderSettings = MemorySettings & {
  /** Model calls, 1 to 10. Default 10. */
  maxCalls: number;
  /** Seconds that a command may take where its call names no limit, 1 to 120. Default 10. */
  commandTimeoutSeconds: number;
  /** Output tokens of one model call. Default 8192. */
  maxTokens: Partial<Record<CoderRole, number>>;
  /** Reasoning effort. Default: the provider's own. */
  effort: Partial<Record<CoderRole, Effort>>;
};

/** A coder as data, without a key: what a worker makes the same one from. */
export type CoderConfig = CoderSettings & {
  /** The default model, then its fallbacks. */
  models: Record<CoderRole, ModelId[]>;
};

const CoderConfigSchema: Schema<CoderConfig> = z.strictObject({
  models: z.strictObject({ coder: z.array(z.string().min(1)).min(1) }),
  maxCalls: z.int().min(1).max(10),
  commandTimeoutSeconds: z.int().min(1).max(120),
  maxTokens: z.strictObject({ coder: z.int().positive().exactOptional() }),
  effort: z.strictObject({ coder: EffortSchema.exactOptional() }),
  ...MEMORY_SETTINGS,
});

/** The configuration as it is. Throws an `InvalidInputError` that names the setting and says what is allowed. */
export function checkConfig(config: JsonObject): CoderConfig {
  return checkInput(CoderConfigSchema, config, { root: "config" });
}
