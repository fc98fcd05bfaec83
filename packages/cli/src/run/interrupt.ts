import { EXIT } from "../exit-codes.ts";
import type { CliIO, Interrupt } from "../io.ts";

/** One signal may come twice, to the process group and again from a parent; this long they are taken as one. */
const SAME_MS = 250;

/** Calls back at the first signal; the next one ends the process at once. */
export class InterruptWatch {
  /** The first signal, once it came. */
  signal: Interrupt | null = null;
  /** Gives the signals back to whoever had them. */
  readonly stop: () => void;

  constructor(io: CliIO, onFirst: (signal: Interrupt) => void) {
    let cameAt = 0;
    this.stop = io.onInterrupt((signal) => {
      if (this.signal === null) {
        this.signal = signal;
        cameAt = performance.now();
        onFirst(signal);
      } else if (performance.now() - cameAt > SAME_MS) {
        io.exit(EXIT[signal]);
      }
    });
  }
}
