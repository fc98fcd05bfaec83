import { type Clock, systemClock } from "../clock.ts";
import { Breaker, type BreakerPolicy } from "./breaker.ts";
import type { Guard, GuardedCall } from "./guard.ts";
import { type RetryPolicy, withRetry } from "./retry.ts";

/** When a call is made again, and when a dependency is left alone for a while: plain data. */
export type GuardPolicy = RetryPolicy & BreakerPolicy;
export type GuardOptions = Partial<GuardPolicy> & { clock?: Clock; random?: () => number };

export const GUARD_DEFAULTS: GuardPolicy = {
  retries: 3,
  baseMs: 1_000,
  maxMs: 30_000,
  failureThreshold: 3,
  coolDownMs: 30_000,
};

/** A guard with one breaker a dependency. Make few and dispose of them: a breaker holds timers. */
export function createGuard(options: GuardOptions = {}): Guard {
  const { clock = systemClock, random = Math.random, ...given } = options;
  const policy = { ...GUARD_DEFAULTS, ...given };
  const breakers = new Map<string, Breaker>();

  function breakerOf(dependency: string): Breaker {
    const breaker = breakers.get(dependency) ?? new Breaker(dependency, policy);
    breakers.set(dependency, breaker);
    return breaker;
  }

  return {
    call<T>(call: GuardedCall<T>): Promise<T> {
      return breakerOf(call.dependency).fire(() => withRetry(call, policy, clock, random), call.notice);
    },
    dispose() {
      for (const breaker of breakers.values()) breaker.dispose();
      breakers.clear();
    },
  };
}
