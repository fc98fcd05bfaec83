import type { EventDraft, RunEvent } from "../contracts/event.ts";
import type { Json, JsonObject } from "../contracts/json.ts";
import { canonicalJson, mapStrings } from "../json-value.ts";
import { mask } from "./masks.ts";

/** An event as it is compared: without its place in the file and its measurements, its free text masked. */
export function canonicalEvent(event: EventDraft | RunEvent): string {
  const { measured: _, ...payload } = event.payload;
  const { stepId, key, kind, agent } = event;
  const masked = mapStrings(payload as Json, mask) as JsonObject;
  if (payload.type === "begin") {
    // what a call was asked to do is no noise, whatever it looks like
    if (payload.call.op === "tool") masked["call"] = payload.call;
    // an estimate by the length of a request, in which a duration has now more digits and now fewer; its hash stands for it
    if (payload.call.op === "model") delete masked["reserve"];
  }
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

/** Less than 0 where the first key was claimed before the second one; both of one step. */
export function compareKeys(a: string | null, b: string | null): number {
  const [x = [], y = []] = [a, b].map((key) => key?.split(".").map(Number));
  return (x[0] ?? 0) - (y[0] ?? 0) || (x[1] ?? 0) - (y[1] ?? 0);
}
