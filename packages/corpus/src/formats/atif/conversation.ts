import { asJson, costOf, type LogHeader, type Part, type Trajectory, type Turn } from "@swarm/core";
import { chatTools, textOf } from "../../chat/messages-of.ts";
import type { ModelCall } from "../../run/conversation.ts";
import { modelsIn, type Said } from "../../run/said.ts";
import type { Settings } from "../../run/settings.ts";
import type { Atif, AtifMetrics, AtifResult, AtifStep, AtifToolCall } from "./schema.ts";

export type Unnumbered = Omit<AtifStep, "step_id">;

/** One conversation as a document of its own, which the run's document embeds. */
export function conversationDocument(said: Said, settings: Settings, { header, runId }: Trajectory): Atif {
  const { role, attempt, phase, calls } = said;
  const models = modelsIn(said);
  const steps = numbered([{ source: "system", message: settings.system }, ...stepsOf(said, settings, header)]);
  return {
    schema_version: "ATIF-v1.7",
    session_id: runId,
    trajectory_id: documentId(said),
    agent: {
      name: role,
      version: header.team.version,
      ...(models.length === 1 ? { model_name: models[0]! } : {}),
      tool_definitions: asJson(chatTools(settings.tools)),
    },
    steps,
    final_metrics: { ...totals(steps), total_steps: steps.length },
    extra: {
      swarm: {
        role,
        node: attempt.stepId,
        attempt: attempt.attempt,
        phase,
        failed_calls: calls.filter(({ answer }) => answer === null).length,
      },
    },
  };
}

export function documentId({ attempt, role, calls }: Said): string {
  return `${attempt.stepId}#${attempt.attempt}/${role}@${calls[0]!.at}`;
}

export function numbered(steps: readonly Unnumbered[]): AtifStep[] {
  return steps.map((step, index) => ({ step_id: index + 1, ...step }));
}

function stepsOf({ turns, calls }: Said, settings: Settings, header: LogHeader): Unnumbered[] {
  return turns.flatMap((turn, index): Unnumbered[] => {
    if (turn.role === "user") {
      const message = textOf(turn.parts);
      return message === "" ? [] : [{ source: "user", message }];
    }
    const call = calls.find(({ given, answer }) => given === index && answer !== null);
    return [answerStep(turn, turns[index + 1], call, settings, header)];
  });
}

function answerStep(
  { parts }: Turn,
  next: Turn | undefined,
  call: ModelCall | undefined,
  { effort }: Settings,
  { prices }: LogHeader,
): Unnumbered {
  const toolCalls = parts.flatMap(toolCallOf);
  const results = resultsIn(next, new Set(toolCalls.map(({ tool_call_id }) => tool_call_id)));
  const step: Unnumbered = {
    source: "agent",
    message: textOf(parts),
    ...(toolCalls.length > 0 ? { tool_calls: toolCalls } : {}),
    ...(results.length > 0 ? { observation: { results } } : {}),
  };
  if (!call) return { ...step, is_copied_context: true }; // an answer of before the thread was shortened
  const { endedAt, tokens, model, ms, toolMs } = call;
  const price = prices[model];
  return {
    ...(endedAt === null ? {} : { timestamp: new Date(endedAt).toISOString() }),
    ...step,
    model_name: model,
    ...(effort ? { reasoning_effort: effort } : {}),
    ...(tokens ? { metrics: metricsOf(tokens, price ? costOf(tokens, price) : null) } : {}),
    llm_call_count: 1,
    extra: { swarm: { ts_index: call.at, duration_ms: ms, tools_ms: toolMs } },
  };
}

function toolCallOf(part: Part): AtifToolCall[] {
  if (part.type === "tool") return [{ tool_call_id: part.id, function_name: part.tool, arguments: part.args }];
  if (part.type !== "malformed") return [];
  const { id, tool, text, problem } = part;
  return [{ tool_call_id: id, function_name: tool, arguments: {}, extra: { malformed: text, problem } }];
}

function resultsIn(turn: Turn | undefined, calls: ReadonlySet<string>): AtifResult[] {
  return (turn?.parts ?? []).flatMap((part): AtifResult[] =>
    part.type === "result" && calls.has(part.id)
      ? [{ source_call_id: part.id, content: part.output, extra: { ok: part.ok } }]
      : [],
  );
}

function metricsOf(tokens: NonNullable<ModelCall["tokens"]>, usd: number | null): AtifMetrics {
  const { input, output, reasoning, cacheRead, cacheWrite } = tokens;
  return {
    prompt_tokens: input + cacheRead + cacheWrite,
    completion_tokens: output,
    cached_tokens: cacheRead,
    ...(usd === null ? {} : { cost_usd: usd }),
    extra: { reasoning_tokens: reasoning, cache_creation_input_tokens: cacheWrite },
  };
}

function totals(steps: readonly AtifStep[]): NonNullable<Atif["final_metrics"]> {
  const metrics = steps.flatMap((step) => (step.metrics ? [step.metrics] : []));
  const sum = (name: "prompt_tokens" | "completion_tokens" | "cached_tokens") =>
    metrics.reduce((total, one) => total + (one[name] ?? 0), 0);
  return {
    total_prompt_tokens: sum("prompt_tokens"),
    total_completion_tokens: sum("completion_tokens"),
    total_cached_tokens: sum("cached_tokens"),
  };
}
