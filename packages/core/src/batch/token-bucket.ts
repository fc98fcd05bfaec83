/**
 * A rate, as a token bucket that may go into debt: a call begins while there is none, and what it takes beyond what is there holds
 * up those after it. So in any time no more begins than the rate's share of it, a second's worth and one call.
 * Knows neither clock nor timer: who asks says what time it is, in milliseconds.
 */
export class TokenBucket {
  readonly #perMs: number;
  readonly #most: number;
  #level: number;
  #at: number;

  constructor(perMinute: number, now: number) {
    this.#perMs = perMinute / 60_000;
    this.#most = perMinute / 60;
    this.#level = this.#most;
    this.#at = now;
  }

  /** How long until the next call may begin, in milliseconds; 0 for at once. */
  waitMs(now: number): number {
    return Math.max(0, -this.#levelAt(now) / this.#perMs);
  }

  /** Takes what a call needs, or by a negative amount gives back what one did not need after all. */
  take(amount: number, now: number): void {
    this.#level = this.#levelAt(now) - amount;
    this.#at = Math.max(this.#at, now);
  }

  #levelAt(now: number): number {
    return Math.min(this.#most, this.#level + Math.max(0, now - this.#at) * this.#perMs);
  }
}
