import type { Writable } from "node:stream";
import { EXIT } from "./exit-codes.ts";

export type Interrupt = "SIGINT" | "SIGTERM";

/** Where it is a terminal it says so. */
export type Output = Writable & { readonly isTTY?: boolean; readonly columns?: number };

/** All that the command has of the world around it. */
export interface CliIO {
  readonly stdout: Output;
  readonly stderr: Output;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** What relative paths are meant from. */
  readonly cwd: string;
  /** Calls back at each signal. Returns the function that stops it. */
  onInterrupt(listener: (signal: Interrupt) => void): () => void;
  /** Ends the process now. */
  exit(code: number): void;
}

/**
 * The process's own. Output that cannot be written, as on a full disk, is said once and makes the exit code 1. Whoever reads
 * it may stop reading: that is no error.
 */
export function processIO(): CliIO & { outputFailed(): boolean } {
  let failed = false;
  for (const name of ["stdout", "stderr"] as const) {
    process[name].on("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "EPIPE" || failed) return;
      failed = true;
      process.exitCode = EXIT.notPassed; // it may be told after the command has ended
      process.stderr.write(`swarm: ${name} could not be written: ${error.message}\n`);
    });
  }
  return {
    stdout: process.stdout,
    stderr: process.stderr,
    env: process.env,
    cwd: process.cwd(),
    onInterrupt(listener) {
      process.on("SIGINT", listener);
      process.on("SIGTERM", listener);
      return () => {
        process.off("SIGINT", listener);
        process.off("SIGTERM", listener);
      };
    },
    outputFailed: () => failed,
    exit: (code) => process.exit(code),
  };
}
