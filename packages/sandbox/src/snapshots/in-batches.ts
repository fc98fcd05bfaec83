import { setImmediate } from "node:timers/promises";

const AT_ONCE = 16;
const TURN_MS = 20;

/** Does `action` for all items, a few at a time, and lets the process do other things now and then. */
export async function inBatches<T>(items: readonly T[], action: (item: T) => Promise<void>): Promise<void> {
  let started = performance.now();
  for (let at = 0; at < items.length; at += AT_ONCE) {
    await Promise.all(items.slice(at, at + AT_ONCE).map(action));
    if (performance.now() - started < TURN_MS) continue;
    await setImmediate();
    started = performance.now();
  }
}
