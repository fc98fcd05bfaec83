import { InvalidInputError } from "@swarm/core";

/** A provider that did not answer in time. */
export class TimedOut extends Error {}

export type TimeLimitOptions = { timeoutMs: number; idleMs: number };

/** The longest that a timer can wait; a longer one would end at once. */
const LONGEST_MS = 2 ** 31 - 1;

/** Throws an {@link InvalidInputError} for what is no limit. */
export function checkTimeLimits(limits: TimeLimitOptions): void {
  for (const [field, ms] of Object.entries(limits)) {
    if (!Number.isInteger(ms) || ms < 1 || ms > LONGEST_MS)
      throw new InvalidInputError(field, `is ${ms}; give whole milliseconds from 1 to ${LONGEST_MS}`);
  }
}

/** The time of one request, from now until `end()`: in all, and, for a streamed answer, between two of its bytes. */
export class TimeLimits {
  /** Aborts as the caller's signal does, or with a {@link TimedOut}. */
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  readonly #idleMs: number;
  readonly #controller = new AbortController();
  readonly #total: NodeJS.Timeout;
  #idle: NodeJS.Timeout | undefined;
  #ended = false;

  constructor(signal: AbortSignal, { timeoutMs, idleMs }: TimeLimitOptions) {
    this.signal = AbortSignal.any([signal, this.#controller.signal]);
    this.timeoutMs = timeoutMs;
    this.#idleMs = idleMs;
    this.#total = setTimeout(() => this.#expire(`the answer was not whole within ${timeoutMs} ms`), timeoutMs);
  }

  /** Asks for a streamed answer: from now on silence ends the request. Any byte, also a ping's, is a sign of life. */
  async streamed(ask: () => Promise<Response>): Promise<Response> {
    this.#heard();
    const response = await ask();
    this.#heard();
    const listening = new TransformStream<Uint8Array, Uint8Array>({
      transform: (bytes, controller) => {
        this.#heard();
        controller.enqueue(bytes);
      },
    });
    return new Response(response.body?.pipeThrough(listening) ?? null, response);
  }

  end(): void {
    this.#ended = true;
    clearTimeout(this.#total);
    clearTimeout(this.#idle);
  }

  #heard(): void {
    clearTimeout(this.#idle);
    if (this.#ended) return;
    this.#idle = setTimeout(() => this.#expire(`the stream was silent for ${this.#idleMs} ms`), this.#idleMs);
  }

  #expire(why: string): void {
    this.end();
    this.#controller.abort(new TimedOut(why));
  }
}
