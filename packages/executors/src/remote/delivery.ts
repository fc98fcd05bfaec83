import type { Schema, TeamRef } from "@swarm/core";
import { z } from "zod";

/**
 * What travels through a platform: where the attempt is to be had, and nothing of the attempt itself. So a message is some hundred
 * bytes whatever the step holds, and neither prompt nor secret lies in a queue.
 */
export type Delivery = {
  /** One attempt that waits for its worker. Submitted twice it is still one. */
  id: string;
  runId: string;
  stepId: string;
  attempt: number;
  team: Pick<TeamRef, "name" | "version">;
  /** Wall time of the attempt: a platform's own limits have to be above it. */
  timeoutMs: number;
  /** Where the worker fetches the attempt, and where its events go; the token is good for this attempt alone. */
  gate: { url: string; token: string };
};

export const DeliverySchema: Schema<Delivery> = z.strictObject({
  id: z.string().min(1),
  runId: z.string(),
  stepId: z.string(),
  attempt: z.int().nonnegative(),
  team: z.strictObject({ name: z.string(), version: z.string() }),
  timeoutMs: z.number().positive(),
  gate: z.strictObject({ url: z.url({ protocol: /^https?$/ }), token: z.string().min(1) }),
});
