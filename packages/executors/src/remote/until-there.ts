import { setTimeout } from "node:timers/promises";
import { abortReason, SwarmError } from "@swarm/core";

const PAUSE_MS = 200;
/** What may be put right from outside meanwhile: a server that is not up yet, or its first worker. */
const NOT_THERE = ["PLATFORM_FAILED", "NO_WORKER"];

/** Asks until what is asked for is there. Rejects with what was wrong the last time once `readyMs` are over, or at once with any other error. */
export async function untilThere<T>(
  ask: () => Promise<T>,
  { readyMs, signal }: { readyMs: number; signal?: AbortSignal },
): Promise<T> {
  const giveUpAt = performance.now() + readyMs;
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      const missing = error instanceof SwarmError && NOT_THERE.includes(error.code);
      if (!missing || performance.now() + PAUSE_MS > giveUpAt) throw error;
    }
    if (signal?.aborted) throw abortReason(signal);
    await setTimeout(PAUSE_MS, undefined, signal ? { signal } : {}).catch(() => {});
  }
}
