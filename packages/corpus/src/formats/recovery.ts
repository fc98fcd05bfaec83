import type { Schema } from "@swarm/core";
import { z } from "zod";
import { type ChatMessage, ChatMessagesSchema } from "../chat/message.ts";
import { messagesOf } from "../chat/messages-of.ts";
import type { Conversation } from "../run/conversation.ts";
import { defineFormat } from "./format.ts";
import { FAILURE_PLACE, type FailurePlace } from "./pair-schema.ts";

type Failure = {
  code: string;
  message: string;
  error_type: string | null;
  location: string | null;
  test: string | null;
};
type Row = FailurePlace & {
  program: string;
  attempt: number;
  failure: Failure;
  /** What was said in the attempt until it failed, then about its failure: a conversation each. */
  context: ChatMessage[][];
  diagnosis: ChatMessage[][];
  hint: string | null;
  outcome: {
    /** Whether the next attempt helped, and whether any did; null where there was none. */
    next_passed: boolean | null;
    recovered: boolean;
    next_signature: string | null;
    run: string;
  };
};

const text = z.string().nullable();
const RowSchema: Schema<Row> = z.strictObject({
  ...FAILURE_PLACE,
  program: z.string(),
  attempt: z.int().nonnegative(),
  failure: z.strictObject({ code: z.string(), message: z.string(), error_type: text, location: text, test: text }),
  context: z.array(ChatMessagesSchema),
  diagnosis: z.array(ChatMessagesSchema),
  hint: text,
  outcome: z.strictObject({
    next_passed: z.boolean().nullable(),
    recovered: z.boolean(),
    next_signature: text,
    run: z.string(),
  }),
});

/** A failure of an attempt: what led to it, the advice that was drawn from it, and whether that helped. */
export const recovery = defineFormat<Row>({
  name: "recovery",
  summary: "a failure with its signature, what led to it, the hint, and whether that helped",
  schema: RowSchema,
  outcomes: null,
  async *rows({ run, attempts, settings }, leaveOut) {
    const tell = async ({ turns, settings: id }: Conversation) => messagesOf(turns, (await settings(id)).system);
    for (const { stepId, attempt, program, failure, work, diagnosis, advice } of attempts) {
      if (!failure) continue;
      if (failure.fault.infrastructure) {
        leaveOut("a failure of the machinery");
        continue;
      }
      const later = attempts.filter((other) => other.stepId === stepId && other.attempt > attempt);
      const next = later.find((other) => other.attempt === attempt + 1);
      const { code, message, errorType, location, test } = failure.fault;
      const row: Row = {
        task_id: run.taskId,
        run_id: run.runId,
        ts_index: failure.at,
        step_id: stepId,
        failure_signature: failure.signature,
        program,
        attempt,
        failure: { code, message, error_type: errorType, location, test },
        context: await Promise.all(work.map(tell)),
        diagnosis: await Promise.all(diagnosis.map(tell)),
        hint: advice,
        outcome: {
          next_passed: next ? next.ok : null,
          recovered: later.some(({ ok }) => ok),
          next_signature: next?.failure?.signature ?? null,
          run: run.verdict.outcome,
        },
      };
      const { failure_signature, context, hint, outcome } = row;
      yield { row, content: { failure_signature, context, hint, outcome } };
    }
  },
});
