import { z } from "zod";
import { checkInput } from "../check-input.ts";
import { type Clock, systemClock } from "../clock.ts";
import type { Schema } from "../contracts/json.ts";
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

/** The longest that a timer can wait; a longer one would end at once. */
const LONGEST_MS = 2 ** 31 - 1;
const wait = z.number().min(0).max(LONGEST_MS).exactOptional();
const GuardPolicySchema: Schema<Partial<GuardPolicy>> = z.strictObject({
  retries: z.int().min(0).max(3).exactOptional(),
  baseMs: wait,
  maxMs: wait,
  failureThreshold: z.int().min(1).exactOptional(),
  coolDownMs: wait,
});

/**
 * A guard with one breaker a dependency. Make few and dispose of them: a breaker holds timers. Throws an `InvalidInputError` for a
 * policy that is none: `retries` is 0 to 3.
 */
export function createGuard(options: GuardOptions = {}): Guard {
  const { clock = systemClock, random = Math.random, ...given } = options;
  const policy = { ...GUARD_DEFAULTS, ...checkInput(GuardPolicySchema, given, { root: "guard" }) };
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
    isOpen: (dependency) => breakers.get(dependency)?.isOpen ?? false,
    dispose() {
      for (const breaker of breakers.values()) breaker.dispose();
      breakers.clear();
    },
  };
}
