import type { Schema } from "@swarm/core";
import { z } from "zod";
import { type ChatMessage, ChatMessagesSchema, type ChatTool, ChatToolSchema } from "../chat/message.ts";
import { chatTools, messagesOf } from "../chat/messages-of.ts";
import type { Attempt } from "../run/attempts.ts";
import { defineFormat } from "./format.ts";

type Row = {
  messages: ChatMessage[];
  tools: ChatTool[];
  metadata: {
    task_id: string;
    run_id: string;
    ts_index: number;
    step_id: string;
    attempt: number;
    role: string;
    models: string[];
    outcome: string;
  };
};

const RowSchema: Schema<Row> = z.strictObject({
  messages: ChatMessagesSchema.refine((messages) => messages.some(({ role }) => role === "assistant"), "no answer"),
  tools: z.array(ChatToolSchema),
  metadata: z.strictObject({
    task_id: z.string(),
    run_id: z.string(),
    ts_index: z.int().nonnegative(),
    step_id: z.string(),
    attempt: z.int().nonnegative(),
    role: z.string(),
    models: z.array(z.string()),
    outcome: z.string(),
  }),
});

/**
 * Conversations to imitate, one a row: the work of attempts by which a step succeeded, and the diagnosis after which the next
 * attempt did. What failed is no example, and is left out.
 */
export const sft = defineFormat<Row>({
  name: "sft",
  summary: "a conversation of one role, as chat messages with tool calls",
  schema: RowSchema,
  outcomes: ["verified", "passed"],
  async *rows({ run, attempts, settings }, leaveOut) {
    for (const { attempt, role, turns, calls, settings: id, isExample, why } of conversationsIn(attempts)) {
      const { system, tools } = await settings(id);
      const messages = messagesOf(turns, system);
      if (!isExample) leaveOut(why);
      else if (!messages.some((message) => message.role === "assistant")) leaveOut("a conversation without an answer");
      else {
        const metadata = {
          task_id: run.taskId,
          run_id: run.runId,
          ts_index: calls[0]!.at,
          step_id: attempt.stepId,
          attempt: attempt.attempt,
          role,
          models: [...new Set(calls.map(({ model }) => model))],
          outcome: run.verdict.outcome,
        };
        const example = { messages, tools: chatTools(tools) };
        yield { row: { ...example, metadata }, content: example };
      }
    }
  },
});

/** Every conversation, whether it is an example, and why where it is none. */
function conversationsIn(attempts: readonly Attempt[]) {
  return attempts.flatMap((attempt) => {
    const { stepId, ok, work, diagnosis } = attempt;
    const helped = attempts.some((other) => other.ok && other.stepId === stepId && other.attempt > attempt.attempt);
    return [
      ...work.map((said) => ({ attempt, ...said, isExample: ok, why: "the work of an attempt that failed" })),
      ...diagnosis.map((said) => ({ attempt, ...said, isExample: helped, why: "a diagnosis that did not help" })),
    ];
  });
}
