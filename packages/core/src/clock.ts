/** The one source of time. Replays and tests put their own in its place. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /**
   * Calls back once after `ms` unless cancelled by the function that it returns. Keeps the process alive until then. A wait
   * of more than 24 days is never over.
   */
  after(ms: number, callback: () => void): () => void;
}

/** A timer cannot be set for longer; one that was would fire at once. Nothing here waits for weeks. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now(),
  after(ms, callback) {
    if (ms > LONGEST_TIMER_MS) return () => {};
    const timer = setTimeout(callback, ms);
    return () => clearTimeout(timer);
  },
};
