/** Wakes whoever waits, again and again. Who asks for {@link next} before looking at what changes misses nothing. */
export class Wake {
  #next = Promise.withResolvers<void>();

  /** Resolves at the next {@link wake}. */
  get next(): Promise<void> {
    return this.#next.promise;
  }

  wake(): void {
    this.#next.resolve();
    this.#next = Promise.withResolvers<void>();
  }
}
