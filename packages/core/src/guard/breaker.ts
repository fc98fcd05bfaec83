import CircuitBreaker from "opossum";
import type { JsonObject } from "../contracts/json.ts";
import { CircuitOpenError } from "../errors.ts";
import { isOutage } from "./retry.ts";

export type BreakerPolicy = {
  /** Consecutive transient failures, each counted once its retries are spent, after which the circuit opens. */
  failureThreshold: number;
  coolDownMs: number;
};

type Notice = (note: JsonObject) => void;
/** A call as opossum sees it: settled by us, once it is known whether the call counts as a success or as a failure. */
type Slot = PromiseWithResolvers<void> & {
  admitted: boolean;
  /** How often the circuit had opened when the call began. */
  period: number;
};

/**
 * One circuit breaker, for one dependency. Transient failures count; permanent faults and aborts are the caller's own and
 * neither count nor reset, and a probe of the half-open circuit that ends in one leaves the probe to the next call. How a call
 * ends that began before the circuit opened says nothing of what is there now: only the probe does.
 */
export class Breaker {
  readonly #dependency: string;
  readonly #circuit: CircuitBreaker<[Slot], void>;
  readonly #threshold: number;
  #failures = 0;
  #period = 0;
  #freeProbe: Slot | null = null;
  #notice: Notice = () => {};

  constructor(dependency: string, policy: BreakerPolicy) {
    this.#dependency = dependency;
    this.#threshold = policy.failureThreshold;
    this.#circuit = new CircuitBreaker(admit, {
      timeout: false,
      resetTimeout: policy.coolDownMs,
      // opossum opens by percentage over a window; ours opens by consecutive failures, so its own rule is out of reach
      volumeThreshold: Number.MAX_SAFE_INTEGER,
      rollingPercentilesEnabled: false,
    });
    const tell = (to: string) => this.#notice({ event: "breaker", dependency, to });
    this.#circuit.on("open", () => {
      this.#period++;
      tell("open");
    });
    this.#circuit.on("close", () => tell("closed"));
  }

  /** Whether a call that began now would not be made. */
  get isOpen(): boolean {
    return !this.#circuit.closed && !this.#circuit.pendingClose && this.#freeProbe === null;
  }

  /** `notice` is told of the transitions that this call brings about, whoever else shares the breaker. */
  async fire<T>(run: () => Promise<T>, notice: Notice): Promise<T> {
    const slot = this.#enter(notice);
    try {
      const value = await run();
      this.#settle(slot, notice, () => this.#countSuccess(slot));
      return value;
    } catch (error) {
      this.#settle(slot, notice, () =>
        isOutage(error) ? this.#countFailure(slot, error) : this.#leaveUncounted(slot),
      );
      throw error;
    }
  }

  #enter(notice: Notice): Slot {
    const probe = this.#freeProbe;
    this.#freeProbe = null;
    if (probe) return probe;
    const slot: Slot = { ...Promise.withResolvers<void>(), admitted: false, period: this.#period };
    this.#circuit.fire(slot).catch(() => {}); // the caller is told by the call itself
    if (!slot.admitted) throw new CircuitOpenError(this.#dependency);
    // The cool-down is over by a timer, which is nobody's: it shows with the call that is let through as the probe.
    if (this.#circuit.halfOpen) notice({ event: "breaker", dependency: this.#dependency, to: "half-open" });
    return slot;
  }

  #settle(slot: Slot, notice: Notice, settle: () => void): void {
    if (slot.period !== this.#period) return;
    this.#notice = notice;
    settle();
  }

  #countSuccess(slot: Slot): void {
    this.#failures = 0;
    slot.resolve();
  }

  #countFailure(slot: Slot, error: unknown): void {
    slot.reject(error);
    if (++this.#failures >= this.#threshold) this.#circuit.open();
  }

  #leaveUncounted(slot: Slot): void {
    if (this.#circuit.halfOpen) this.#freeProbe = slot;
    else slot.resolve();
  }

  dispose(): void {
    this.#circuit.shutdown();
    this.#circuit.removeAllListeners();
  }
}

/** Only called when the circuit lets a call through, and then at once. */
function admit(slot: Slot): Promise<void> {
  slot.admitted = true;
  return slot.promise;
}
