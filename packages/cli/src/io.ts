import type { Writable } from "node:stream";

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

/** The process's own. Whoever reads its output may stop reading: that is no error. */
export function processIO(): CliIO {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code !== "EPIPE") throw error;
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
    exit: (code) => process.exit(code),
  };
}
