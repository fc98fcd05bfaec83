import type { JsonObject } from "../contracts/json.ts";

export type GuardedCall<T> = {
  /** What is called: the breaker's name, such as `llm:coder:anthropic:claude-sonnet-5-5` or `tools`. */
  dependency: string;
  signal: AbortSignal;
  /** Whether the same call may be made twice. */
  idempotent: boolean;
  run(signal: AbortSignal): Promise<T>;
  /** Told of each retry and breaker transition: they are ambient events. */
  notice(note: JsonObject): void;
};

/** The one way out of the process: retry inside, circuit breaker outside, both under the signal. */
export interface Guard {
  call<T>(call: GuardedCall<T>): Promise<T>;
  /** Whether a call to this dependency would not be made now, its circuit being open. */
  isOpen(dependency: string): boolean;
  /** Releases the breakers' timers. */
  dispose(): void;
}
