import { type ChildProcess, fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { type FromWorker, isFromWorker, type ToWorker } from "./protocol.ts";

const PROGRAM = new URL(import.meta.url.endsWith(".ts") ? "./worker.ts" : "./worker.js", import.meta.url);

export type WorkerOptions = {
  env: Record<string, string>;
  execArgv: readonly string[];
  /** A worker that says nothing for so long is lost. */
  leaseMs: number;
};

/** How long a worker may take to its first word: on a machine that is busy a process starts late, and is not lost for that. */
const START_MS = 60_000;

/** One worker process with its lease. */
export class WorkerProcess {
  readonly #child: ChildProcess;
  readonly #leaseMs: number;
  readonly #onMessage: (message: FromWorker) => void;
  readonly #lost = Promise.withResolvers<string>();
  #lease: NodeJS.Timeout | undefined;
  #isLost = false;

  constructor({ env, execArgv, leaseMs }: WorkerOptions, onMessage: (message: FromWorker) => void) {
    this.#leaseMs = leaseMs;
    this.#onMessage = onMessage;
    this.#child = fork(fileURLToPath(PROGRAM), {
      env,
      execArgv: [...execArgv],
      stdio: ["ignore", "ignore", "inherit", "ipc"],
    });
    this.#child.on("message", (message) => this.#hear(message));
    this.#child.once("error", (error) => this.#lose(`could not run: ${error.message}`));
    this.#child.once("exit", (code, signal) => {
      const lose = () => this.#lose(`ended ${signal ? `by ${signal}` : `with code ${code}`}`);
      if (this.#child.connected)
        this.#child.once("disconnect", lose); // its last words are still on their way
      else lose();
    });
    this.#wait(Math.max(leaseMs, START_MS));
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** Resolves with what became of the worker when it ended or its lease ran out. */
  get lost(): Promise<string> {
    return this.#lost.promise;
  }

  send(message: ToWorker): void {
    if (this.#child.connected) this.#child.send(message, () => {}); // a worker that is gone is known by its exit
  }

  kill(): void {
    clearTimeout(this.#lease);
    this.#child.kill("SIGKILL");
  }

  /** Nothing of a worker that was lost counts: what it says late would fence the next one. */
  #hear(message: unknown): void {
    if (this.#isLost) return;
    this.#wait(this.#leaseMs);
    if (isFromWorker(message)) this.#onMessage(message);
  }

  #wait(ms: number): void {
    clearTimeout(this.#lease);
    this.#lease = setTimeout(() => this.#lose(`said nothing for ${ms} ms`), ms).unref();
  }

  #lose(how: string): void {
    this.#isLost = true;
    this.#lost.resolve(how);
  }
}
