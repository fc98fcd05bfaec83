import { type JsonObject, JsonObjectSchema, type Schema } from "@swarm/core";
import { z } from "zod";

// The rules are those of ATIF v1.7 (Harbor RFC 0001), as far as texts go: this exporter writes no images.

export type AtifMetrics = {
  prompt_tokens?: number;
  completion_tokens?: number;
  cached_tokens?: number;
  cost_usd?: number;
  extra?: JsonObject;
};
export type AtifToolCall = { tool_call_id: string; function_name: string; arguments: JsonObject; extra?: JsonObject };
export type AtifResult = {
  source_call_id: string | null;
  content: string | null;
  subagent_trajectory_ref?: { trajectory_id: string; session_id?: string }[];
  extra?: JsonObject;
};
export type AtifStep = {
  step_id: number;
  timestamp?: string;
  source: "system" | "user" | "agent";
  message: string;
  model_name?: string;
  reasoning_effort?: string;
  tool_calls?: AtifToolCall[];
  observation?: { results: AtifResult[] };
  metrics?: AtifMetrics;
  llm_call_count?: number;
  is_copied_context?: boolean;
  extra?: JsonObject;
};
export type Atif = {
  schema_version: "ATIF-v1.7";
  session_id: string;
  trajectory_id: string;
  agent: { name: string; version: string; model_name?: string; tool_definitions?: JsonObject[]; extra?: JsonObject };
  steps: AtifStep[];
  final_metrics?: {
    total_prompt_tokens?: number;
    total_completion_tokens?: number;
    total_cached_tokens?: number;
    total_cost_usd?: number;
    total_steps?: number;
    extra?: JsonObject;
  };
  extra?: JsonObject;
  subagent_trajectories?: Atif[];
};

const count = z.number().nonnegative();
const extra = { extra: JsonObjectSchema.exactOptional() };

const ToolCallSchema: Schema<AtifToolCall> = z.strictObject({
  tool_call_id: z.string().min(1),
  function_name: z.string(),
  arguments: JsonObjectSchema,
  ...extra,
});
const ResultSchema: Schema<AtifResult> = z.strictObject({
  source_call_id: z.string().nullable(),
  content: z.string().nullable(),
  subagent_trajectory_ref: z
    .array(z.strictObject({ trajectory_id: z.string().min(1), session_id: z.string().exactOptional() }))
    .exactOptional(),
  ...extra,
});
const StepSchema: Schema<AtifStep> = z
  .strictObject({
    step_id: z.int().positive(),
    timestamp: z.iso.datetime().exactOptional(),
    source: z.enum(["system", "user", "agent"]),
    message: z.string(),
    model_name: z.string().exactOptional(),
    reasoning_effort: z.string().exactOptional(),
    tool_calls: z.array(ToolCallSchema).exactOptional(),
    observation: z.strictObject({ results: z.array(ResultSchema) }).exactOptional(),
    metrics: z
      .strictObject({
        prompt_tokens: count.exactOptional(),
        completion_tokens: count.exactOptional(),
        cached_tokens: count.exactOptional(),
        cost_usd: count.exactOptional(),
        ...extra,
      })
      .exactOptional(),
    llm_call_count: z.int().nonnegative().exactOptional(),
    is_copied_context: z.boolean().exactOptional(),
    ...extra,
  })
  .check(({ value, issues }) => {
    for (const message of stepProblems(value)) issues.push({ code: "custom", message, input: value });
  });

const ONLY_OF_AGENTS = ["model_name", "reasoning_effort", "tool_calls", "metrics"] as const;

function stepProblems({ source, tool_calls = [], observation, llm_call_count, metrics, ...step }: AtifStep): string[] {
  const all: Partial<AtifStep> = { ...step, tool_calls, ...(metrics ? { metrics } : {}) };
  const ids = tool_calls.map(({ tool_call_id }) => tool_call_id);
  const foreign = ONLY_OF_AGENTS.filter((name) => all[name] !== undefined && (name !== "tool_calls" || ids.length > 0));
  const results = observation?.results ?? [];
  return [
    ...(source === "agent" ? [] : foreign.map((name) => `${name} is for steps of agents`)),
    ...results.flatMap(({ source_call_id: id }) =>
      id === null || ids.includes(id) ? [] : [`no call of the step has the id ${id}`],
    ),
    ...(new Set(ids).size === ids.length ? [] : ["two calls of the step have one id"]),
    ...(llm_call_count === 0 && (metrics || step.reasoning_effort)
      ? ["a dispatch has no metrics and no reasoning"]
      : []),
  ];
}

export const AtifSchema: Schema<Atif> = z
  .strictObject({
    schema_version: z.literal("ATIF-v1.7"),
    session_id: z.string().min(1),
    trajectory_id: z.string().min(1),
    agent: z.strictObject({
      name: z.string().min(1),
      version: z.string().min(1),
      model_name: z.string().exactOptional(),
      tool_definitions: z.array(JsonObjectSchema).exactOptional(),
      ...extra,
    }),
    steps: z.array(StepSchema).min(1),
    final_metrics: z
      .strictObject({
        total_prompt_tokens: count.exactOptional(),
        total_completion_tokens: count.exactOptional(),
        total_cached_tokens: count.exactOptional(),
        total_cost_usd: count.exactOptional(),
        total_steps: z.int().nonnegative().exactOptional(),
        ...extra,
      })
      .exactOptional(),
    ...extra,
    get subagent_trajectories() {
      return z.array(AtifSchema).exactOptional();
    },
  })
  .check(({ value, issues }) => {
    for (const message of documentProblems(value)) issues.push({ code: "custom", message, input: value });
  });

function documentProblems({ steps, subagent_trajectories = [] }: Atif): string[] {
  const embedded = subagent_trajectories.map(({ trajectory_id }) => trajectory_id);
  const named = steps.flatMap(({ observation }) =>
    (observation?.results ?? []).flatMap(({ subagent_trajectory_ref: refs = [] }) => refs),
  );
  return [
    ...steps.flatMap(({ step_id }, index) =>
      step_id === index + 1 ? [] : [`step ${index + 1} has the id ${step_id}`],
    ),
    ...(new Set(embedded).size === embedded.length ? [] : ["two embedded trajectories have one id"]),
    ...named.flatMap(({ trajectory_id }) =>
      embedded.includes(trajectory_id) ? [] : [`no embedded trajectory has the id ${trajectory_id}`],
    ),
  ];
}
