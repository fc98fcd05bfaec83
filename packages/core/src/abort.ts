import type { Clock } from "./clock.ts";
import { abortReason } from "./errors.ts";

/**
 * The promise, or a rejection with the signal's reason as soon as it aborts, whether or not the work behind the promise
 * listens. Leaves no listener behind.
 */
export async function untilAborted<T>(signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  if (signal.aborted) throw abortReason(signal);
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const onAbort = () => reject(abortReason(signal));
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    return await Promise.race([work(signal), aborted]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}

export function sleep(ms: number, signal: AbortSignal, clock: Clock): Promise<void> {
  let cancel = () => {};
  return untilAborted(signal, () => new Promise<void>((resolve) => (cancel = clock.after(ms, resolve)))).finally(() =>
    cancel(),
  );
}
