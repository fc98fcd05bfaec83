import { costOf, type JsonObject, JsonObjectSchema, type Outcome, type Schema, type Trajectory } from "@swarm/core";
import { z } from "zod";
import { type ChatToolCall, ChatToolCallSchema } from "../chat/message.ts";
import { callIds, textOf, toolCallsOf } from "../chat/messages-of.ts";
import { commandOf } from "../run/command-of.ts";
import type { ModelCall } from "../run/conversation.ts";
import { modelsOf } from "../run/models-of.ts";
import { contentOf, type Said, saidIn } from "../run/said.ts";
import { defineFormat } from "./format.ts";

type Action = { command: string; tool_call_id: string };
type Message =
  | { role: "system" | "user"; content: string; extra?: JsonObject }
  | {
      role: "assistant";
      content: string;
      tool_calls?: ChatToolCall[];
      extra: { actions: Action[]; cost: number | null; timestamp: number | null };
    }
  | {
      role: "tool";
      tool_call_id: string;
      content: string;
      extra: { raw_output: string; returncode: number; exception_info: string };
    }
  | { role: "exit"; content: string; extra: { exit_status: string; submission: string } };
type Row = {
  info: {
    model_stats: { instance_cost: number; api_calls: number };
    config: JsonObject;
    mini_version: string;
    exit_status: string;
    submission: string;
  };
  messages: Message[];
  trajectory_format: "mini-swe-agent-1.1";
  instance_id: string;
};

const text = z.string();
const MessageSchema: Schema<Message> = z.discriminatedUnion("role", [
  z.strictObject({ role: z.enum(["system", "user"]), content: text, extra: JsonObjectSchema.exactOptional() }),
  z.strictObject({
    role: z.literal("assistant"),
    content: text,
    tool_calls: z.array(ChatToolCallSchema).min(1).exactOptional(),
    extra: z.strictObject({
      actions: z.array(z.strictObject({ command: text, tool_call_id: text })),
      cost: z.number().nonnegative().nullable(),
      timestamp: z.number().nullable(),
    }),
  }),
  z.strictObject({
    role: z.literal("tool"),
    tool_call_id: text,
    content: text,
    extra: z.strictObject({ raw_output: text, returncode: z.int(), exception_info: text }),
  }),
  z.strictObject({
    role: z.literal("exit"),
    content: text,
    extra: z.strictObject({ exit_status: text.min(1), submission: text }),
  }),
]);

const RowSchema: Schema<Row> = z
  .strictObject({
    info: z.strictObject({
      model_stats: z.strictObject({ instance_cost: z.number().nonnegative(), api_calls: z.int().nonnegative() }),
      config: JsonObjectSchema,
      mini_version: text,
      exit_status: text.min(1),
      submission: text,
    }),
    messages: z.array(MessageSchema).min(1),
    trajectory_format: z.literal("mini-swe-agent-1.1"),
    instance_id: text.min(1),
  })
  .check(({ value, issues }) => {
    const wrong = (message: string) => issues.push({ code: "custom", message, input: value });
    const { messages, info } = value;
    const last = messages.at(-1);
    if (messages.findIndex(({ role }) => role === "exit") !== messages.length - 1)
      wrong("the exit is not the last message");
    if (last?.role === "exit" && last.extra.exit_status !== info.exit_status) wrong("the exit statuses differ");
    const called = new Set<string>();
    for (const message of messages) {
      if (message.role === "assistant") {
        for (const { tool_call_id } of message.extra.actions) called.add(tool_call_id);
        if (message.extra.actions.length !== (message.tool_calls ?? []).length) wrong("an action is no tool call");
      }
      if (message.role === "tool" && !called.delete(message.tool_call_id))
        wrong(`no call ${message.tool_call_id} is open`);
    }
  });

const STATUSES: Partial<Record<Outcome, string>> = {
  budget: "LimitsExceeded",
  timeout: "TimeExceeded",
  aborted: "Aborted",
  "infra-error": "InfrastructureError",
};

/** A run as a trajectory of mini-swe-agent: its conversations one after the other, each with its own system message. */
export const miniSweAgent = defineFormat<Row>({
  name: "mini-swe-agent",
  summary: "a run as a trajectory of mini-swe-agent 1.1",
  schema: RowSchema,
  outcomes: null,
  async *rows(record, leaveOut) {
    const { run, attempts } = record;
    const patch = await record.patch();
    if (patch.why !== null) leaveOut(`the submission of a row: ${patch.why}`);
    const exit_status = STATUSES[run.verdict.outcome] ?? "Submitted";
    const submission = patch.text ?? "";
    const messages: Message[] = [];
    const ids = new Set<string>();
    for (const said of saidIn(attempts)) {
      const { system } = await record.settings(said.settings);
      const { role, phase, attempt } = said;
      const swarm = { role, phase, step: attempt.stepId, attempt: attempt.attempt };
      messages.push({ role: "system", content: system, extra: { swarm } }, ...messagesIn(said, run, ids));
    }
    messages.push({ role: "exit", content: submission, extra: { exit_status, submission } });
    const { header, usage } = run;
    const row: Row = {
      info: {
        model_stats: { instance_cost: usage.usd ?? 0, api_calls: usage.modelCalls },
        config: {
          agent: header.team.config,
          agent_type: `swarm.${header.team.name}`,
          model: { model_name: modelsOf(run.events).join("+") },
          model_type: "swarm",
          environment: { tier: header.tier },
          environment_type: "swarm",
        },
        ...{ mini_version: "swarm", exit_status, submission },
      },
      messages,
      trajectory_format: "mini-swe-agent-1.1",
      instance_id: run.taskId,
    };
    yield { row, content: contentOf(record, patch) };
  },
});

function messagesIn({ turns, calls }: Said, run: Trajectory, taken: Set<string>): Message[] {
  let ids = new Map<string, string>();
  return turns.flatMap((turn, index): Message[] => {
    const content = textOf(turn.parts);
    if (turn.role === "user") {
      const results = turn.parts.flatMap((part): Message[] => {
        const id = part.type === "result" ? ids.get(part.id) : undefined;
        if (part.type !== "result" || id === undefined || !ids.delete(part.id)) return [];
        const extra = { raw_output: part.output, returncode: part.ok ? 0 : 1, exception_info: "" };
        return [{ role: "tool", tool_call_id: id, content: part.output, extra }];
      });
      return content === "" ? results : [...results, { role: "user", content }];
    }
    ids = callIds(turn.parts, taken);
    const called = turn.parts.filter((part) => part.type === "tool" || part.type === "malformed");
    const tool_calls = toolCallsOf(called, ids);
    const actions = called.map((part) => ({ command: commandOf(part), tool_call_id: ids.get(part.id)! }));
    const call = calls.find(({ given, answer }) => given === index && answer !== null);
    const extra = { actions, cost: costIn(call, run), timestamp: call?.endedAt ? call.endedAt / 1000 : null };
    return [{ role: "assistant", content, ...(tool_calls.length > 0 ? { tool_calls } : {}), extra }];
  });
}

function costIn(call: ModelCall | undefined, { header: { prices } }: Trajectory): number | null {
  const price = call ? prices[call.model] : null;
  return call?.tokens && price ? costOf(call.tokens, price) : null;
}
