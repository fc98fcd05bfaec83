import pRetry, { AbortError as StopRetrying } from "p-retry";
import { sleep, untilAborted } from "../abort.ts";
import type { Clock } from "../clock.ts";
import { abortReason, messageOf, ProviderError } from "../errors.ts";
import type { GuardedCall } from "./guard.ts";

export type RetryPolicy = {
  /** Attempts after the first. */
  retries: number;
  baseMs: number;
  /** Ceiling of a back-off, and of the wait that a provider may ask for. */
  maxMs: number;
};

/** Whether making the same call again can help: the error itself says so. */
export function isTransient(error: unknown): boolean {
  return error instanceof Error && (error as { retryable?: unknown }).retryable === true;
}

/** Runs a call, and again after transient faults while it may be repeated: full jitter, Retry-After obeyed up to the ceiling. */
export async function withRetry<T>(
  call: GuardedCall<T>,
  policy: RetryPolicy,
  clock: Clock,
  random: () => number,
): Promise<T> {
  const attempt = async () => {
    try {
      return await untilAborted(call.signal, call.run);
    } catch (error) {
      if (call.idempotent && isTransient(error) && !call.signal.aborted) throw error;
      throw new StopRetrying(error instanceof Error ? error : new Error(String(error)));
    }
  };
  try {
    return await pRetry(attempt, {
      retries: policy.retries,
      minTimeout: 0, // the wait is ours, below: p-retry knows neither full jitter nor Retry-After
      signal: call.signal,
      async onFailedAttempt({ error, attemptNumber, retriesLeft }) {
        if (retriesLeft === 0 || !isTransient(error)) return;
        const wait = backOff(error, attemptNumber - 1, policy, random);
        if (wait === null) throw error;
        call.notice({ event: "retry", dependency: call.dependency, attempt: attemptNumber, error: messageOf(error) });
        await sleep(wait, call.signal, clock);
      },
    });
  } catch (error) {
    throw call.signal.aborted ? abortReason(call.signal) : error;
  }
}

/** Milliseconds to wait; null when the provider asks for longer than the ceiling, so that waiting is the caller's decision. */
function backOff(error: unknown, retry: number, { baseMs, maxMs }: RetryPolicy, random: () => number): number | null {
  const asked = error instanceof ProviderError ? error.retryAfterMs : null;
  if (asked !== null && asked > maxMs) return null;
  return Math.max(asked ?? 0, random() * Math.min(maxMs, baseMs * 2 ** retry));
}
