/**
 * Group commit: whoever asks while a sync is under way shares the one that comes after it, since the one under way may have
 * begun before what he wrote.
 */
export class GroupSync {
  readonly #sync: () => Promise<void>;
  #running: Promise<void> = Promise.resolve();
  #next: Promise<void> | null = null;

  constructor(sync: () => Promise<void>) {
    this.#sync = sync;
  }

  /** Resolves when all that was written before is synced. */
  request(): Promise<void> {
    const begin = () => {
      this.#next = null;
      this.#running = this.#sync();
      return this.#running;
    };
    this.#next ??= this.#running.then(begin, begin);
    return this.#next;
  }

  /** Resolves when none is under way any more, however it ended. */
  async idle(): Promise<void> {
    await (this.#next ?? this.#running).catch(() => {});
  }
}
