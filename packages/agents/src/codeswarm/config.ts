import { checkInput, type Effort, EffortSchema, type JsonObject, type ModelId, type Schema } from "@swarm/core";
import { z } from "zod";
import { MEMORY_SETTINGS, type MemorySettings } from "../team-memory.ts";
import { byRole } from "../team-roles.ts";
import { type Candidate, MOST_CANDIDATES } from "./candidates.ts";

export const CODESWARM_ROLES = ["planner", "coder", "tester", "reviewer"] as const;
export type CodeswarmRole = (typeof CODESWARM_ROLES)[number];

/** Planner and coder are the roles that remember. */
export type CodeswarmSettings = MemorySettings & {
  /** Attempts at a step after its first. Default 3. */
  maxRetries: number;
  /** Steps of a plan, 1 to 10. Default 10. */
  maxSteps: number;
  /** Model calls of a role in one attempt of a step, 1 to 10. Default: {@link DEFAULT_CALLS}. */
  calls: Record<CodeswarmRole, number>;
  /** Output tokens of one model call of a role. Default 8192. */
  maxTokens: Partial<Record<CodeswarmRole, number>>;
  /** What races for each step of a plan; where it is left out, one coder works on it. */
  race?: Candidate[];
};

export const DEFAULT_CALLS: Record<CodeswarmRole, number> = { planner: 7, coder: 10, tester: 8, reviewer: 5 };

/** A codeswarm team as data, without a key: what a worker makes the same team from. */
export type CodeswarmConfig = CodeswarmSettings & {
  /** The models of each role: the default one, then its fallbacks. */
  models: Record<CodeswarmRole, ModelId[]>;
  effort: Partial<Record<CodeswarmRole, Effort>>;
};

const CandidateSchema: Schema<Candidate> = z.strictObject({
  hint: z.string().min(1).exactOptional(),
  model: z.string().min(1).exactOptional(),
  effort: EffortSchema.exactOptional(),
  temperature: z.number().min(0).exactOptional(),
});

const CodeswarmConfigSchema: Schema<CodeswarmConfig> = z.strictObject({
  models: z.strictObject(byCodeswarmRole(() => z.array(z.string().min(1)).min(1))),
  effort: z.strictObject(byCodeswarmRole(() => EffortSchema.exactOptional())),
  maxRetries: z.int().min(0).max(10),
  maxSteps: z.int().min(1).max(10),
  calls: z.strictObject(byCodeswarmRole(() => z.int().min(1).max(10))),
  maxTokens: z.strictObject(byCodeswarmRole(() => z.int().positive().exactOptional())),
  race: z.array(CandidateSchema).min(2).max(MOST_CANDIDATES).exactOptional(),
  ...MEMORY_SETTINGS,
});

/** The configuration as it is. Throws an `InvalidInputError` that names the setting and says what is allowed. */
export function checkConfig(config: JsonObject): CodeswarmConfig {
  return checkInput(CodeswarmConfigSchema, config, { root: "config" });
}

/** Something for each role. */
export function byCodeswarmRole<T>(of: (role: CodeswarmRole) => T): Record<CodeswarmRole, T> {
  return byRole(CODESWARM_ROLES, of);
}
