import { sleep, untilAborted } from "../abort.ts";
import type { Clock } from "../clock.ts";
import { TokenBucket } from "./token-bucket.ts";

/** What a provider allows in a minute. */
export type ProviderRate = {
  /** Requests, those that are made again after a fault too. */
  requestsPerMinute?: number;
  /** Input and output tokens together. A call is counted at its reserve when it begins, and at what it took when it ends. */
  tokensPerMinute?: number;
};

/** The way to one provider for the calls of all runs: they begin in their order, as its rates and its own word allow. */
export class ProviderGate {
  readonly #clock: Clock;
  readonly #requests: TokenBucket | null;
  readonly #tokens: TokenBucket | null;
  #closedUntil = 0;
  #line: Promise<void> = Promise.resolve();
  /** Wakes the first in the line, who waits for time to pass. */
  #wake = () => {};

  constructor({ requestsPerMinute, tokensPerMinute }: ProviderRate, clock: Clock) {
    const bucket = (perMinute?: number) => (perMinute === undefined ? null : new TokenBucket(perMinute, clock.now()));
    this.#clock = clock;
    this.#requests = bucket(requestsPerMinute);
    this.#tokens = bucket(tokensPerMinute);
  }

  /** Resolves when a call may begin, or when the signal aborts. */
  async enter(tokens: number, signal: AbortSignal): Promise<void> {
    const turn = this.#line.then(() => this.#turn(tokens, signal));
    this.#line = turn;
    await untilAborted(signal, () => turn).catch(() => {}); // who enters is refused by the log then
  }

  /** What calls took otherwise than was thought when they began. */
  settle({ requests = 0, tokens = 0 }: { requests?: number; tokens?: number }): void {
    const now = this.#clock.now();
    this.#requests?.take(requests, now);
    this.#tokens?.take(tokens, now);
    if (requests < 0 || tokens < 0) this.#wake();
  }

  /** The provider asked one caller to wait, and meant all. */
  close(forMs: number): void {
    this.#closedUntil = Math.max(this.#closedUntil, this.#clock.now() + forMs);
  }

  async #turn(tokens: number, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const waitMs = this.#waitMs(this.#clock.now());
      if (waitMs === 0) return this.settle({ requests: 1, tokens });
      const woken = new AbortController();
      this.#wake = () => woken.abort();
      await sleep(Math.ceil(waitMs), AbortSignal.any([signal, woken.signal]), this.#clock).catch(() => {});
    }
  }

  #waitMs(now: number): number {
    return Math.max(0, this.#closedUntil - now, this.#requests?.waitMs(now) ?? 0, this.#tokens?.waitMs(now) ?? 0);
  }
}
