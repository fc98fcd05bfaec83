import { untilAborted } from "../abort.ts";

/** Room for so many at once. Who waits comes in in their order. */
export class Room {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(places: number) {
    this.#free = places;
  }

  /** Rejects with the signal's reason when it aborts before there is room. */
  async with<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free -= 1;
    else await this.#wait(signal);
    try {
      return await work();
    } finally {
      this.#leave();
    }
  }

  async #wait(signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.push(resolve);
    try {
      await untilAborted(signal, () => promise);
    } catch (error) {
      const place = this.#waiting.indexOf(resolve);
      if (place === -1)
        this.#leave(); // it was let in while it went
      else this.#waiting.splice(place, 1);
      throw error;
    }
  }

  #leave(): void {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#free += 1;
  }
}
