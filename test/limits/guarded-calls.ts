// Makes a thousand guarded calls on one signal for each way in which calls end, and prints what the process held before and after.
import { getEventListeners } from "node:events";
import { setImmediate as turn } from "node:timers/promises";
import { createGuard, ProviderError, SwarmError } from "@swarm/core";

const CALLS = 1000;
const HOUR_MS = 3_600_000;

const ENDS: Record<string, (nth: number) => Promise<unknown>> = {
  answer: async () => {},
  permanent: () => Promise.reject(new SwarmError("NO", "a permanent fault")),
  transient: () => Promise.reject(new ProviderError("OVERLOADED", "busy", { retryable: true })),
  /** Waits in its back-off for an hour, unless its signal aborts. */
  aborted: () => Promise.reject(new ProviderError("RATE_LIMITED", "later", { retryable: true, retryAfterMs: HOUR_MS })),
  mixed: (nth) => [ENDS["answer"]!, ENDS["permanent"]!, ENDS["transient"]!][nth % 3]!(nth),
};

const told: Record<string, object> = {};
for (const kind of Object.keys(ENDS)) {
  await thousand(kind); // what the first ones load stays
  told[kind] = await thousand(kind);
}
console.log(JSON.stringify(told));

async function thousand(kind: string) {
  const abort = new AbortController();
  const held = () => ({
    onSignal: getEventListeners(abort.signal, "abort").length,
    onProcess: process.eventNames().map((name) => [String(name), process.listenerCount(name)]),
    resources: process.getActiveResourcesInfo().sort(),
  });
  const before = held();
  const guard = createGuard({ baseMs: 1, maxMs: HOUR_MS, failureThreshold: kind === "mixed" ? 3 : CALLS + 1 });
  let made = 0;
  const calls = Array.from({ length: CALLS }, (_, nth) =>
    guard.call({
      dependency: `d${nth % 10}`,
      signal: abort.signal,
      idempotent: true,
      notice() {},
      run() {
        made++;
        return ENDS[kind]!(nth);
      },
    }),
  );
  if (kind === "aborted") {
    while (made < CALLS) await turn();
    await turn();
    abort.abort(new SwarmError("ABORTED", "enough"));
  }
  await Promise.allSettled(calls);
  guard.dispose();
  return { made, before, after: held() };
}
