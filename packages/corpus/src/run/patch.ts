import type { Redact, Trajectory } from "@swarm/core";

/** A patch as text that is its bytes; `why` says why there is none to give. */
export type PatchText = { text: string; why: null } | { text: null; why: string };

/**
 * The patch of a run. A byte that is changed on the way makes another patch, or none: what JSON cannot hold and what holds
 * a secret is not given at all.
 */
export async function patchText(run: Trajectory, redact: Redact): Promise<PatchText> {
  const bytes = await run.patch();
  const text = Buffer.from(bytes).toString();
  if (!Buffer.from(text).equals(bytes)) return { text: null, why: "its patch is not UTF-8" };
  if (redact(text) !== text) return { text: null, why: "its patch holds what is shaped like a secret" };
  return { text, why: null };
}
