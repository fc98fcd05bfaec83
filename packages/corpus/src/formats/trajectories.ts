import {
  type Json,
  JsonSchema,
  type Schema,
  type TestCounts,
  type Usage,
  type Verdict,
  VerdictSchema,
} from "@swarm/core";
import { z } from "zod";
import { type ChatMessage, ChatMessagesSchema, type ChatTool, ChatToolSchema } from "../chat/message.ts";
import { chatTools, messagesOf } from "../chat/messages-of.ts";
import type { Attempt } from "../run/attempts.ts";
import type { Conversation } from "../run/conversation.ts";
import { modelsOf } from "../run/models-of.ts";
import type { RunRecord } from "../run/record.ts";
import { endedAt, startedAt } from "../run/times.ts";
import { defineFormat } from "./format.ts";

type Said = {
  ts_index: number;
  role: string;
  phase: "work" | "diagnosis";
  models: string[];
  messages: ChatMessage[];
  tools: ChatTool[];
};
type StepAttempt = {
  step_id: string;
  program: string;
  attempt: number;
  ts_index: number;
  ok: boolean;
  hint: string | null;
  failure: { ts_index: number; code: string; message: string; signature: string } | null;
  tests: TestCounts[];
  conversations: Said[];
};
type Row = {
  run_id: string;
  task_id: string;
  task_sha256: string;
  prompt: string;
  team: string;
  team_version: string;
  models: string[];
  tier: string;
  parent: { run_id: string; ts_index: number } | null;
  started_at: string | null;
  ended_at: string | null;
  verdict: Verdict;
  failure_signature: string | null;
  usage: Usage;
  report: Json;
  attempts: StepAttempt[];
  state: "final" | "best" | "untested";
  patch: string | null;
};

const count = z.number().nonnegative();
const place = z.int().nonnegative();
const UsageSchema: Schema<Usage> = z.strictObject({
  input: count,
  output: count,
  reasoning: count,
  cacheRead: count,
  cacheWrite: count,
  modelCalls: count,
  toolCalls: count,
  usd: count.nullable(),
});
const SaidSchema: Schema<Said> = z.strictObject({
  ts_index: place,
  role: z.string(),
  phase: z.enum(["work", "diagnosis"]),
  models: z.array(z.string()).min(1),
  messages: ChatMessagesSchema,
  tools: z.array(ChatToolSchema),
});
const RowSchema: Schema<Row> = z.strictObject({
  run_id: z.string(),
  task_id: z.string(),
  task_sha256: z.string(),
  prompt: z.string(),
  team: z.string(),
  team_version: z.string(),
  models: z.array(z.string()),
  tier: z.string(),
  parent: z.strictObject({ run_id: z.string(), ts_index: z.int() }).nullable(),
  started_at: z.iso.datetime().nullable(),
  ended_at: z.iso.datetime().nullable(),
  verdict: VerdictSchema,
  failure_signature: z.string().nullable(),
  usage: UsageSchema,
  report: JsonSchema,
  attempts: z.array(
    z.strictObject({
      step_id: z.string(),
      program: z.string(),
      attempt: place,
      ts_index: place,
      ok: z.boolean(),
      hint: z.string().nullable(),
      failure: z
        .strictObject({ ts_index: place, code: z.string(), message: z.string(), signature: z.string() })
        .nullable(),
      tests: z.array(z.strictObject({ passed: place, failed: place, skipped: place })),
      conversations: z.array(SaidSchema),
    }),
  ),
  state: z.enum(["final", "best", "untested"]),
  patch: z.string().nullable(),
});

/** A whole run in one row: task, verdict, usage, the attempts with what was said in them, and the patch. */
export const trajectories = defineFormat<Row>({
  name: "trajectories",
  summary: "a whole run: task, verdict, usage, attempts with their messages, patch",
  schema: RowSchema,
  outcomes: null,
  async *rows(record, leaveOut) {
    const { run, attempts } = record;
    const { header, verdict } = run;
    const { text: patch, why } = await record.patch();
    if (why !== null) leaveOut(`the patch of a row: ${why}`);
    const told = [];
    for (const attempt of attempts) told.push(await tell(attempt, record));
    const row: Row = {
      run_id: run.runId,
      task_id: run.taskId,
      task_sha256: header.taskSha256,
      prompt: header.task.prompt,
      team: header.team.name,
      team_version: header.team.version,
      models: modelsOf(run.events),
      tier: header.tier,
      parent: header.parent && { run_id: header.parent.runId, ts_index: header.parent.at },
      started_at: startedAt(run),
      ended_at: endedAt(run),
      verdict,
      failure_signature: run.failureSignature,
      usage: run.usage,
      report: run.report,
      attempts: told,
      state: run.state.label,
      patch,
    };
    const said = told.flatMap(({ conversations }) => conversations.map(({ messages }) => messages));
    yield { row, content: { task: header.taskSha256, outcome: verdict.outcome, said, patch } };
  },
});

async function tell(attempt: Attempt, { settings }: RunRecord): Promise<StepAttempt> {
  const say = async (phase: Said["phase"], { role, turns, calls, settings: id }: Conversation): Promise<Said> => {
    const { system, tools } = await settings(id);
    return {
      ts_index: calls[0]!.at,
      role,
      phase,
      models: [...new Set(calls.map(({ model }) => model))],
      messages: messagesOf(turns, system),
      tools: chatTools(tools),
    };
  };
  const { failure } = attempt;
  return {
    step_id: attempt.stepId,
    program: attempt.program,
    attempt: attempt.attempt,
    ts_index: attempt.at,
    ok: attempt.ok,
    hint: attempt.hint,
    failure: failure && {
      ts_index: failure.at,
      code: failure.fault.code,
      message: failure.fault.message,
      signature: failure.signature,
    },
    tests: attempt.tests,
    conversations: await Promise.all([
      ...attempt.work.map((conversation) => say("work", conversation)),
      ...attempt.diagnosis.map((conversation) => say("diagnosis", conversation)),
    ]),
  };
}
