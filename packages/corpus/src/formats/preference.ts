import type { Schema } from "@swarm/core";
import { z } from "zod";
import { type ChatMessage, ChatMessagesSchema, type ChatTool, ChatToolSchema } from "../chat/message.ts";
import { chatTools, messagesOf } from "../chat/messages-of.ts";
import type { Attempt } from "../run/attempts.ts";
import type { RunRecord } from "../run/record.ts";
import { defineFormat } from "./format.ts";
import { FAILURE_PLACE, type FailurePlace } from "./pair-schema.ts";

type Row = FailurePlace & {
  source: "retry" | "race";
  role: string;
  snapshot: string;
  tools: ChatTool[];
  prompt: ChatMessage[];
  rejected: ChatMessage[];
  chosen_prompt: ChatMessage[];
  chosen: ChatMessage[];
  hint: string | null;
  rejected_attempt: number;
  chosen_attempt: number;
  chosen_step_id: string;
};

const count = z.int().nonnegative();
const RowSchema: Schema<Row> = z
  .strictObject({
    ...FAILURE_PLACE,
    source: z.enum(["retry", "race"]),
    role: z.string(),
    snapshot: z.string(),
    tools: z.array(ChatToolSchema),
    prompt: ChatMessagesSchema,
    rejected: ChatMessagesSchema,
    chosen_prompt: ChatMessagesSchema,
    chosen: ChatMessagesSchema,
    hint: z.string().nullable(),
    rejected_attempt: count,
    chosen_attempt: count,
    chosen_step_id: z.string(),
  })
  .check(({ value, issues }) => {
    const wrong = (message: string) => issues.push({ code: "custom", message, input: value });
    for (const side of ["prompt", "chosen_prompt"] as const) {
      if (value[side].some(({ role }) => role === "assistant")) wrong(`${side} holds an answer`);
    }
    for (const side of ["rejected", "chosen"] as const) {
      if (value[side][0]?.role !== "assistant") wrong(`${side} does not begin with an answer`);
    }
  });

type Pair = { rejected: Attempt; chosen: Attempt; source: Row["source"] };

/**
 * A failed attempt of a step and the one that succeeded, both from the same checkpoint: the recovery of a retry, or the winner
 * of a race. What they were told differs by the hint, so both prompts are given.
 */
export const preference = defineFormat<Row>({
  name: "preference",
  summary: "a failed attempt and the recovery of the same step from the same checkpoint",
  schema: RowSchema,
  outcomes: ["verified", "passed"],
  async *rows(record, leaveOut) {
    for (const pair of pairsIn(record.attempts)) {
      const row = await rowOf(pair, record);
      if (typeof row === "string") leaveOut(row);
      else yield { row, content: { p: row.prompt, r: row.rejected, c: row.chosen } };
    }
  },
});

function pairsIn(attempts: readonly Attempt[]): Pair[] {
  const failed = attempts.filter(({ failure }) => failure && !failure.fault.infrastructure);
  return failed.flatMap((rejected): Pair[] => {
    const same = attempts.filter(({ ok, snapshot }) => ok && snapshot === rejected.snapshot);
    const retry = same.find(({ stepId }) => stepId === rejected.stepId);
    if (retry) return [{ rejected, chosen: retry, source: "retry" }];
    const race = raceOf(rejected.stepId);
    const winner = race === null ? undefined : same.find(({ stepId }) => raceOf(stepId) === race);
    return winner ? [{ rejected, chosen: winner, source: "race" }] : [];
  });
}

/** The race that a step took part in: its path without the number of the branch. */
function raceOf(stepId: string): string | null {
  const [, race, step] = /^(.*\/race-[^/]+)\/\d+(\/[^/]+)$/.exec(stepId) ?? [];
  return race === undefined ? null : `${race}${step}`;
}

async function rowOf({ rejected, chosen, source }: Pair, { run, settings }: RunRecord): Promise<Row | string> {
  const [first] = rejected.work;
  const [second] = chosen.work;
  if (!first || !second || first.role !== second.role) return "a pair that is not the work of one role";
  if (rejected.work.length > 1 || chosen.work.length > 1) return "a pair of which one is several conversations";
  const { system, tools } = await settings(first.settings);
  const [lost, won] = [first, second].map(({ turns }) => halves(messagesOf(turns, system)));
  if (lost!.answer.length === 0 || won!.answer.length === 0) return "a pair of which one has no answer";
  return {
    task_id: run.taskId,
    run_id: run.runId,
    ts_index: rejected.failure!.at,
    step_id: rejected.stepId,
    failure_signature: rejected.failure!.signature,
    source,
    role: first.role,
    snapshot: rejected.snapshot,
    tools: chatTools(tools),
    prompt: lost!.prompt,
    rejected: lost!.answer,
    chosen_prompt: won!.prompt,
    chosen: won!.answer,
    hint: chosen.hint,
    rejected_attempt: rejected.attempt,
    chosen_attempt: chosen.attempt,
    chosen_step_id: chosen.stepId,
  };
}

function halves(messages: readonly ChatMessage[]): { prompt: ChatMessage[]; answer: ChatMessage[] } {
  const start = messages.findIndex(({ role }) => role === "assistant");
  return start === -1
    ? { prompt: [...messages], answer: [] }
    : { prompt: messages.slice(0, start), answer: messages.slice(start) };
}
