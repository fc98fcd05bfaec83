import type { Clock } from "@swarm/core";

/** Back-offs pass at once, also where the clock of the test stands still. */
export const hurried: Clock = {
  now: () => Date.now(),
  after(_ms, callback) {
    const timer = setImmediate(callback);
    return () => clearImmediate(timer);
  },
};
