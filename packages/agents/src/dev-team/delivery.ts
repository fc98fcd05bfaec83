import { JsonObjectSchema } from "@swarm/core";
import { z } from "zod";
import type { Message, ReviewRequest } from "../a2a/message.ts";
import { messagesIn } from "../a2a/messages-in.ts";
import { type CoderResult, CoderResultSchema } from "../coder/run-coder.ts";
import type { Assignment } from "./assignment.ts";

/** What a step of the coder gives: its work, and the messages that it sends. */
export const DeliverySchema = z.strictObject({ result: CoderResultSchema, outbox: z.array(JsonObjectSchema) });
export type Delivery = z.infer<typeof DeliverySchema>;

/** The coder's work with its request to review it. What the model says in the form of messages goes out behind that. */
export function deliveryOf(
  { task, round, correlationId }: Assignment,
  result: CoderResult,
  revision: ReviewRequest["revision"],
): Delivery {
  const { finish, text, reason, code } = result;
  const explanation = finish?.explanation ?? (text === "" ? reason : text);
  const plan = finish?.plan ?? "";
  const request: Message = {
    sender: "coder",
    receiver: "qa",
    intent: "review_request",
    taskId: task.id,
    correlationId,
    payload: {
      round,
      explanation,
      plan,
      entryPoint: finish?.entryPoint ?? null,
      files: code.map(({ path, verified }) => ({ path, verified })),
      revision,
    },
  };
  return { result, outbox: [request, ...messagesIn(explanation), ...messagesIn(plan)] };
}
