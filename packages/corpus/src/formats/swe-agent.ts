import { type JsonObject, JsonObjectSchema, type Outcome, type Part, type Schema, type Turn } from "@swarm/core";
import { z } from "zod";
import { textOf } from "../chat/messages-of.ts";
import { commandOf } from "../run/command-of.ts";
import { contentOf, type Said, saidIn } from "../run/said.ts";
import { defineFormat } from "./format.ts";

type Item = {
  role: "system" | "user" | "assistant" | "tool";
  content: string;
  message_type: "system_prompt" | "observation" | "action";
  agent: string;
  thought?: string;
  action?: string;
  tool_calls?: JsonObject[];
  tool_call_ids?: string[];
};
type Step = {
  action: string;
  observation: string;
  response: string;
  state: Record<string, string>;
  thought: string;
  execution_time: number;
  query: Item[];
  extra_info: JsonObject;
};
type Row = {
  trajectory: Step[];
  history: Item[];
  info: {
    model_stats: { instance_cost: number; tokens_sent: number; tokens_received: number; api_calls: number };
    exit_status: string;
    submission: string | null;
  };
  replay_config: string;
  environment: string;
  instance_id: string;
};

const text = z.string();
const ItemSchema: Schema<Item> = z.strictObject({
  role: z.enum(["system", "user", "assistant", "tool"]),
  content: text,
  message_type: z.enum(["system_prompt", "observation", "action"]),
  agent: text,
  thought: text.exactOptional(),
  action: text.exactOptional(),
  tool_calls: z.array(JsonObjectSchema).exactOptional(),
  tool_call_ids: z.array(text).exactOptional(),
});
const count = z.number().nonnegative();
const RowSchema: Schema<Row> = z
  .strictObject({
    trajectory: z.array(
      z.strictObject({
        ...{ action: text, observation: text, response: text, thought: text },
        state: z.record(text, text),
        execution_time: count,
        query: z.array(ItemSchema),
        extra_info: JsonObjectSchema,
      }),
    ),
    history: z.array(ItemSchema),
    info: z.strictObject({
      model_stats: z.strictObject({
        instance_cost: count,
        tokens_sent: count,
        tokens_received: count,
        api_calls: z.int().nonnegative(),
      }),
      exit_status: z.enum([
        "submitted",
        "exit_cost",
        "exit_total_execution_time",
        "exit_environment_error",
        "exit_error",
      ]),
      submission: text.nullable(),
    }),
    replay_config: text,
    environment: text,
    instance_id: text,
  })
  .check(({ value, issues }) => {
    const actions = value.history.filter(({ role }) => role === "assistant").length;
    if (actions !== value.trajectory.length) {
      issues.push({ code: "custom", message: "there is not one step for each answer", input: value });
    }
  });

const STATUSES: Partial<Record<Outcome, Row["info"]["exit_status"]>> = {
  budget: "exit_cost",
  timeout: "exit_total_execution_time",
  "infra-error": "exit_environment_error",
  aborted: "exit_error",
};

/**
 * A run as a trajectory of SWE-agent: a step for each answer of a model. `query` holds what was new to the request and not the
 * whole of it, which would make a file grow with the square of its steps; `history` has it all, once.
 */
export const sweAgent = defineFormat<Row>({
  name: "swe-agent",
  summary: "a run as a trajectory of SWE-agent, with lean queries",
  schema: RowSchema,
  outcomes: null,
  async *rows(record, leaveOut) {
    const { run, attempts } = record;
    const { header, usage } = run;
    const patch = await record.patch();
    if (patch.why !== null) leaveOut(`the submission of a row: ${patch.why}`);
    const trajectory: Step[] = [];
    const history: Item[] = [];
    for (const said of saidIn(attempts)) {
      const { system } = await record.settings(said.settings);
      const told = tell(said, system);
      trajectory.push(...told.steps);
      history.push(...told.items);
    }
    const row: Row = {
      trajectory,
      history,
      info: {
        model_stats: {
          instance_cost: usage.usd ?? 0,
          tokens_sent: usage.input + usage.cacheRead + usage.cacheWrite,
          tokens_received: usage.output,
          api_calls: usage.modelCalls,
        },
        exit_status: STATUSES[run.verdict.outcome] ?? "submitted",
        submission: patch.text,
      },
      replay_config: JSON.stringify({ team: header.team, run_id: run.runId }),
      environment: header.tier,
      instance_id: run.taskId,
    };
    yield { row, content: contentOf(record, patch) };
  },
});

function tell({ role: agent, turns, calls, attempt, phase }: Said, system: string): { steps: Step[]; items: Item[] } {
  const items: Item[] = [{ role: "system", content: system, message_type: "system_prompt", agent }];
  const steps: Step[] = [];
  let told = 0;
  for (const [index, turn] of turns.entries()) {
    if (turn.role === "user") {
      items.push(...observed(turn, agent));
      continue;
    }
    const query = items.slice(told);
    const called = turn.parts.filter((part) => part.type === "tool" || part.type === "malformed");
    const thought = textOf(turn.parts);
    const action = called.map(commandOf).join("\n");
    const call = calls.find(({ given, answer }) => given === index && answer !== null);
    items.push({
      role: "assistant",
      content: thought,
      message_type: "action",
      agent,
      thought,
      action,
      ...toolCalls(called),
    });
    told = items.length;
    const results = observed(turns[index + 1] ?? { role: "user", parts: [] }, agent);
    steps.push({
      action,
      observation: results.flatMap(({ role, content }) => (role === "tool" ? [content] : [])).join("\n"),
      response: thought,
      state: { step: attempt.stepId, attempt: String(attempt.attempt), role: agent, phase },
      thought,
      execution_time: (call?.toolMs ?? 0) / 1000,
      query,
      extra_info: call ? { ts_index: call.at, model: call.model } : {},
    });
  }
  return { steps, items };
}

function observed({ parts }: Turn, agent: string): Item[] {
  const message_type = "observation";
  const results = parts.flatMap((part): Item[] =>
    part.type === "result"
      ? [{ role: "tool", content: part.output, message_type, agent, tool_call_ids: [part.id] }]
      : [],
  );
  const content = textOf(parts);
  return content === "" ? results : [...results, { role: "user", content, message_type, agent }];
}

function toolCalls(called: readonly Extract<Part, { type: "tool" | "malformed" }>[]): Pick<Item, "tool_calls"> {
  if (called.length === 0) return {};
  return {
    tool_calls: called.map((part) => ({
      id: part.id,
      type: "function",
      function: { name: part.tool, arguments: part.type === "tool" ? JSON.stringify(part.args) : part.text },
    })),
  };
}
