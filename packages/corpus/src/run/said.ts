import { asJson, type Json } from "@swarm/core";
import type { Attempt } from "./attempts.ts";
import type { Conversation } from "./conversation.ts";
import type { PatchText } from "./patch.ts";
import type { RunRecord } from "./record.ts";

export type Phase = "work" | "diagnosis";
/** A conversation where it took place. */
export type Said = Conversation & { attempt: Attempt; phase: Phase };

/** All conversations of a run in the order in which they began. */
export function saidIn(attempts: readonly Attempt[]): Said[] {
  return attempts
    .flatMap((attempt) =>
      (["work", "diagnosis"] as const).flatMap((phase) => attempt[phase].map((said) => ({ ...said, attempt, phase }))),
    )
    .sort((a, b) => a.calls[0]!.at - b.calls[0]!.at);
}

/** What makes two runs the same row: the task, how it ended, all that was said, and the patch. */
export function contentOf({ run, attempts }: RunRecord, { text }: PatchText): Json {
  const said = saidIn(attempts).map(({ turns }) => asJson(turns));
  return { task: run.header.taskSha256, outcome: run.verdict.outcome, said, patch: text };
}

/** The models of a conversation, in the order in which they answered. */
export function modelsIn({ calls }: Conversation): string[] {
  return [...new Set(calls.map(({ model }) => model))];
}
