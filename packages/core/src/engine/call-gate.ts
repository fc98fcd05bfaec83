import { ContextError } from "../errors.ts";

/**
 * The way from a program to its calls: one at a time, since what a program does must not depend on which of two calls was
 * quicker; and none once the attempt was refused or is over.
 */
export class CallGate {
  readonly #advice: string;
  readonly #misused = Promise.withResolvers<never>();
  #running: Promise<void> | null = null;
  #closedBy: Error | null = null;
  #over = false;

  constructor(advice: string) {
    this.#advice = advice;
    this.#misused.promise.catch(() => {});
  }

  /** What ended the calls from outside, whatever the program made of it. */
  get closedBy(): Error | null {
    return this.#closedBy;
  }

  /** Rejects when a program that was refused goes on calling: it has to be left behind. */
  get misused(): Promise<never> {
    return this.#misused.promise;
  }

  /** The promise never goes unhandled: a call that nobody waits for is told by {@link settled}. */
  run<T>(call: () => Promise<T>): Promise<T> {
    const promise = this.#run(call);
    promise.catch(() => {});
    return promise;
  }

  /** No call is let through any more. The first error stays. */
  close(error: Error): Error {
    this.#closedBy ??= error;
    return this.#closedBy;
  }

  /** Waits for a call that its program did not wait for, and says so. */
  async settled(): Promise<void> {
    if (!this.#running) return;
    await this.#running;
    throw new ContextError("CALL_NOT_AWAITED", "the program ended while a call of it was under way: await every call");
  }

  /** Resolves when no call is under way. */
  async idle(): Promise<void> {
    await this.#running;
  }

  end(): void {
    this.#over = true;
  }

  async #run<T>(call: () => Promise<T>): Promise<T> {
    if (this.#over) throw new ContextError("ATTEMPT_OVER", "the attempt is over; its context makes no more calls");
    if (this.#closedBy) {
      this.#misused.reject(this.#closedBy);
      return new Promise(() => {}); // an error would let a loop that swallows errors spin for ever
    }
    if (this.#running) throw new ContextError("CONTEXT_BUSY", `two calls at a time on one context: ${this.#advice}`);
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#running = promise; // before the call: it must not be able to call again itself
    try {
      return await call();
    } finally {
      this.#running = null;
      resolve();
    }
  }
}
