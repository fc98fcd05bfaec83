import { EXIT } from "../exit-codes.ts";
import type { CliIO, Interrupt } from "../io.ts";

/** One signal may come twice, to the process group and again from a parent; this long they are taken as one. */
const SAME_MS = 250;

/** Takes one step a signal; the one after the last step ends the process at once. */
export class InterruptWatch {
  /** The first signal, once it came. */
  signal: Interrupt | null = null;
  /** Gives the signals back to whoever had them. */
  readonly stop: () => void;

  constructor(io: CliIO, ...steps: ((signal: Interrupt) => void)[]) {
    let cameAt = Number.NEGATIVE_INFINITY;
    let taken = 0;
    this.stop = io.onInterrupt((signal) => {
      if (performance.now() - cameAt <= SAME_MS) return;
      cameAt = performance.now();
      this.signal ??= signal;
      const step = steps[taken++];
      if (step) step(signal);
      else io.exit(EXIT[signal]);
    });
  }
}
