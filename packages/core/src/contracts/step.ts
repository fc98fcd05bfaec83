import { z } from "zod";
import type { Done } from "./done.ts";
import { FaultSchema } from "./fault.ts";
import { type SnapshotId, SnapshotIdSchema } from "./files.ts";
import { type Json, type JsonObject, JsonObjectSchema, JsonSchema, type Schema } from "./json.ts";
import { type Effort, EffortSchema, type ModelId } from "./model.ts";
import type { FrozenSuite } from "./suite.ts";
import type { TaskView } from "./task.ts";

/** Which team, so that another process can make it: its name, version and configuration. Never a key. */
export type TeamRef = { name: string; version: string; config: JsonObject };

/**
 * How a step differs from the team's defaults, such as one candidate of a race from the others: `hint` is for its first attempt,
 * `seed` for what the program draws, and a role has another of its models, an effort or a temperature.
 */
export type Variant = { hint?: string; seed?: number; roles?: Record<string, RoleVariant> };
export type RoleVariant = { model?: ModelId; effort?: Effort; temperature?: number };

/** A step is data: all that a worker needs to perform it, and nothing else. */
export type Step = {
  runId: string;
  stepId: string;
  team: TeamRef;
  program: string;
  input: Json;
  task: TaskView;
  /** The workspace that every attempt starts from. */
  snapshot: SnapshotId;
  suites: FrozenSuite[];
  /** Attempts after the first. */
  maxRetries: number;
  /** Wall time of one attempt. */
  timeoutMs: number;
  variant?: Variant;
  /** Where the run was forked with a hint. */
  advice?: Advice[];
};

/** A word to the first model that an attempt asks after the event with the key `after`; null: from its start. */
export type Advice = { text: string; after: string | null };

/** One attempt of a step; `attempt` counts from 0. */
export type AttemptOrder = { step: Step; attempt: number; hint: string | null };
/** `snapshot` is the workspace after the attempt; `hint` is for the next one. */
export type AttemptResult = { snapshot: SnapshotId; hint: string | null } & Done<Json>;
/** Its events are in the log already. A failed step leaves its lane's snapshot where it was. */
export type StepResult<O = Json> = { stepId: string; attempts: number; snapshot: SnapshotId } & Done<O>;

export const TeamRefSchema: Schema<TeamRef> = z.strictObject({
  name: z.string(),
  version: z.string(),
  config: JsonObjectSchema,
});
export const VariantSchema: Schema<Variant> = z.strictObject({
  hint: z.string().exactOptional(),
  seed: z.number().exactOptional(),
  roles: z
    .record(
      z.string(),
      z.strictObject({
        model: z.string().exactOptional(),
        effort: EffortSchema.exactOptional(),
        temperature: z.number().nonnegative().exactOptional(),
      }),
    )
    .exactOptional(),
});

const resultBase = { stepId: z.string(), attempts: z.int(), snapshot: SnapshotIdSchema };
export const StepResultSchema: Schema<StepResult> = z.union([
  z.strictObject({ ...resultBase, ok: z.literal(true), output: JsonSchema }),
  z.strictObject({ ...resultBase, ok: z.literal(false), fault: FaultSchema }),
]);
