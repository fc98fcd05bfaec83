import type { Clock } from "../clock.ts";

/** A clock that stands still until it is told to go on. */
export interface FakeClock extends Clock {
  /** Moves the time on and calls back what became due, in the order of their times. */
  advance(ms: number): void;
  /** Callbacks that are still due. */
  readonly pending: number;
}

export function fakeClock(start = 0): FakeClock {
  let time = start;
  const due = new Set<{ at: number; callback: () => void }>();
  return {
    now: () => time,
    after(ms, callback) {
      const timer = { at: time + ms, callback };
      due.add(timer);
      return () => void due.delete(timer);
    },
    advance(ms) {
      const end = time + ms;
      for (;;) {
        const next = [...due].filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0];
        if (!next) break;
        due.delete(next);
        time = next.at;
        next.callback();
      }
      time = end;
    },
    get pending() {
      return due.size;
    },
  };
}
