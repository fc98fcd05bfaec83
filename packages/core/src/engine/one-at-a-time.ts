import { ContextError } from "../errors.ts";

/** Lets one call through at a time: what a program does must not depend on which of two calls was quicker. */
export class OneAtATime {
  #busy = false;

  async run<T>(call: () => Promise<T>): Promise<T> {
    if (this.#busy) {
      throw new ContextError(
        "CONTEXT_BUSY",
        "two calls at a time on one context: await each, or use run.all or run.race",
      );
    }
    this.#busy = true;
    try {
      return await call();
    } finally {
      this.#busy = false;
    }
  }
}
