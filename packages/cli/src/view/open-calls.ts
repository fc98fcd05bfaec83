import type { Call, RunEvent } from "@swarm/core";

/** A call that began; `nth` counts the role's model calls in its attempt, from 1. */
export type OpenCall = { call: Call; agent: string; nth: number };

/** Pairs each end with its begin, and counts the model calls of each role in each attempt. */
export class OpenCalls {
  readonly #open = new Map<string, OpenCall>();
  readonly #made = new Map<string, number>();

  begin({ stepId, key, agent, payload }: RunEvent): Call | null {
    if (payload.type !== "begin") return null;
    const { call } = payload;
    const by = agent ?? "";
    const counter = `${stepId} ${attemptOf(key)} ${by}`;
    const nth = (this.#made.get(counter) ?? 0) + (call.op === "model" ? 1 : 0);
    this.#made.set(counter, nth);
    this.#open.set(`${stepId} ${key}`, { call, agent: by, nth });
    return call;
  }

  end({ stepId, payload }: RunEvent): OpenCall | null {
    if (payload.type !== "end") return null;
    const place = `${stepId} ${payload.of}`;
    const call = this.#open.get(place) ?? null;
    this.#open.delete(place);
    return call;
  }

  latest(): OpenCall | null {
    return [...this.#open.values()].at(-1) ?? null;
  }
}

/** The attempt that an event's key belongs to, from 0. */
export function attemptOf(key: string | null): number {
  return Number(key?.split(".")[0] ?? 0);
}
