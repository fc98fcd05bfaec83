import type { EventDraft, RunEvent } from "../contracts/event.ts";
import type { Json, JsonObject } from "../contracts/json.ts";
import { canonicalJson, mapStrings } from "../json-value.ts";
import { mask } from "./masks.ts";
import { isOfLoser, winnersOf } from "./races.ts";

/** An event as it is compared: without its place in the file and its measurements, its free text masked. */
export function canonicalEvent(event: EventDraft | RunEvent): string {
  const { measured: _, ...payload } = event.payload;
  const { stepId, key, kind, agent } = event;
  const masked = mapStrings(payload as Json, mask) as JsonObject;
  // what a call was asked to do is no noise, whatever it looks like
  if (payload.type === "begin" && payload.call.op === "tool") masked["call"] = payload.call;
  return canonicalJson({ stepId, key, kind, agent, payload: masked });
}

/**
 * An event of the past that a fork shares, as it is compared: whose model was asked counts, and not how. There the fork may
 * differ, since the answer is given.
 */
export function inheritedEvent(event: EventDraft | RunEvent): string {
  const { stepId, key, kind, agent, payload } = event;
  if (payload.type !== "begin" || payload.call.op !== "model") return canonicalEvent(event);
  return canonicalJson({ stepId, key, kind, agent, op: "model" });
}

/**
 * The causal events, step by step, each step's in the order of their keys. Ambient ones and those of lanes that lost a race
 * are no part of what a run is.
 */
export function bySteps<E extends EventDraft>(events: readonly E[]): Map<string, E[]> {
  const steps = new Map<string, E[]>();
  const winners = winnersOf(events);
  for (const event of events) {
    if (event.key === null || isOfLoser(event, winners)) continue;
    const step = steps.get(event.stepId);
    if (step) step.push(event);
    else steps.set(event.stepId, [event]);
  }
  for (const step of steps.values()) step.sort((a, b) => compareKeys(a.key, b.key));
  return steps;
}

/** Less than 0 where the first key was claimed before the second one; both of one step. */
export function compareKeys(a: string | null, b: string | null): number {
  const [x = [], y = []] = [a, b].map((key) => key?.split(".").map(Number));
  return (x[0] ?? 0) - (y[0] ?? 0) || (x[1] ?? 0) - (y[1] ?? 0);
}

/** The first place where two runs differ. `other` is null where the second run has nothing; likewise `event`. */
export type Divergence = { stepId: string; event: RunEvent | null; other: RunEvent | null };

/**
 * Compares two logs step by step; null when they are equal. With `openEnd` the first may stop anywhere, as the log of a run
 * that was cut short does.
 */
export function firstDivergence(
  events: readonly RunEvent[],
  others: readonly RunEvent[],
  { openEnd = false }: { openEnd?: boolean } = {},
): Divergence | null {
  const left = bySteps(events);
  const right = bySteps(others);
  for (const stepId of new Set([...left.keys(), ...right.keys()])) {
    const a = left.get(stepId) ?? [];
    const b = right.get(stepId) ?? [];
    for (let index = 0; index < Math.max(a.length, b.length); index++) {
      const event = a[index] ?? null;
      const other = b[index] ?? null;
      if (openEnd && event === null) break;
      if (!event || !other || canonicalEvent(event) !== canonicalEvent(other)) return { stepId, event, other };
    }
  }
  return null;
}
