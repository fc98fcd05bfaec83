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

/** Whether a failure tells of a dependency that is in trouble: a transient one, also where its wait is too long for any call. */
export function isOutage(error: unknown): boolean {
  return isTransient(error) || (error instanceof ProviderError && isTransient(error.cause));
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
        if (retriesLeft === 0) return;
        const asked = error instanceof ProviderError ? error.retryAfterMs : null;
        if (asked !== null && asked > policy.maxMs) throw tooLongToWait(error as ProviderError, asked, policy);
        const wait = Math.max(asked ?? 0, backOff(attemptNumber - 1, policy, random));
        const waits = asked === null ? {} : { retryAfterMs: asked };
        const { dependency } = call;
        call.notice({ event: "retry", dependency, attempt: attemptNumber, error: messageOf(error), ...waits });
        await sleep(wait, call.signal, clock);
      },
    });
  } catch (error) {
    throw call.signal.aborted ? abortReason(call.signal) : error;
  }
}

/** Full jitter: anything up to a ceiling that doubles. */
function backOff(retry: number, { baseMs, maxMs }: RetryPolicy, random: () => number): number {
  return random() * Math.min(maxMs, baseMs * 2 ** retry);
}

/** A provider that asks for a long wait would refuse another attempt too: when to come back is the caller's decision. */
function tooLongToWait(error: ProviderError, askedMs: number, { maxMs }: RetryPolicy): ProviderError {
  const message = `${error.message} (come back in ${Math.ceil(askedMs / 1000)} s; no call waits longer than ${maxMs / 1000} s)`;
  return new ProviderError(error.code, message, { ...error, retryable: false, cause: error });
}
