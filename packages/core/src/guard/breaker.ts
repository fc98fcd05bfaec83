import CircuitBreaker from "opossum";
import type { JsonObject } from "../contracts/json.ts";
import { CircuitOpenError } from "../errors.ts";
import { isTransient } from "./retry.ts";

export type BreakerPolicy = {
  /** Consecutive transient failures, each counted once its retries are spent, after which the circuit opens. */
  failureThreshold: number;
  coolDownMs: number;
};

/** One circuit breaker, for one dependency. Permanent faults and aborts are the caller's own and count for nothing. */
export class Breaker {
  readonly #dependency: string;
  readonly #circuit: CircuitBreaker<[() => Promise<unknown>], unknown>;
  readonly #threshold: number;
  #failures = 0;
  #notice: (note: JsonObject) => void = () => {};

  constructor(dependency: string, policy: BreakerPolicy) {
    this.#dependency = dependency;
    this.#threshold = policy.failureThreshold;
    this.#circuit = new CircuitBreaker((run: () => Promise<unknown>) => run(), {
      timeout: false,
      resetTimeout: policy.coolDownMs,
      // opossum opens by percentage over a window; ours opens by consecutive failures, so its own rule is out of reach
      volumeThreshold: Number.MAX_SAFE_INTEGER,
      errorFilter: (error: unknown) => !isTransient(error),
      rollingPercentilesEnabled: false,
    });
    const tell = (to: string) => this.#notice({ event: "breaker", dependency, to });
    this.#circuit.on("open", () => tell("open"));
    this.#circuit.on("halfOpen", () => tell("half-open"));
    this.#circuit.on("close", () => tell("closed"));
  }

  async fire<T>(run: () => Promise<T>, notice: (note: JsonObject) => void): Promise<T> {
    this.#notice = notice;
    try {
      const value = (await this.#circuit.fire(run)) as T;
      this.#failures = 0;
      return value;
    } catch (error) {
      if ((error as { code?: unknown }).code === "EOPENBREAKER") throw new CircuitOpenError(this.#dependency);
      if (isTransient(error) && ++this.#failures >= this.#threshold) this.#circuit.open();
      throw error;
    }
  }

  dispose(): void {
    this.#circuit.shutdown();
    this.#circuit.removeAllListeners();
  }
}
