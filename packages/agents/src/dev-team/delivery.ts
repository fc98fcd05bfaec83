import { type JsonObject, JsonObjectSchema } from "@swarm/core";
import { z } from "zod";
import type { Message, ReviewRequest } from "../a2a/message.ts";
import { messagesIn } from "../a2a/messages-in.ts";
import { type CoderResult, CoderResultSchema } from "../coder/run-coder.ts";
import type { Assignment } from "./assignment.ts";

/** What a step of the coder gives: its work, and the messages that it sends. */
export const DeliverySchema = z.strictObject({ result: CoderResultSchema, outbox: z.array(JsonObjectSchema) });

/** The coder's request to review its work. */
export function requestFor(
  { task, round, correlationId }: Assignment,
  { finish, text, reason, code }: CoderResult,
  revision: ReviewRequest["revision"],
): Message {
  return {
    sender: "coder",
    receiver: "qa",
    intent: "review_request",
    taskId: task.id,
    correlationId,
    payload: {
      round,
      explanation: finish?.explanation ?? (text === "" ? reason : text),
      plan: finish?.plan ?? "",
      entryPoint: finish?.entryPoint ?? null,
      files: code.map(({ path, verified }) => ({ path, verified })),
      revision,
    },
  };
}

/** What the coder's model says in the form of messages. It goes out behind the request. */
export function saidIn(...results: CoderResult[]): JsonObject[] {
  return results.flatMap(({ finish, text }) => [
    ...messagesIn(finish?.explanation ?? text),
    ...messagesIn(finish?.plan ?? ""),
  ]);
}
