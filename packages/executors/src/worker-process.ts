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

/** One worker process with its lease. */
export class WorkerProcess {
  readonly #child: ChildProcess;
  readonly #leaseMs: number;
  readonly #lost = Promise.withResolvers<string>();
  #lease: NodeJS.Timeout | undefined;

  constructor({ env, execArgv, leaseMs }: WorkerOptions, onMessage: (message: FromWorker) => void) {
    this.#leaseMs = leaseMs;
    this.#child = fork(fileURLToPath(PROGRAM), {
      env,
      execArgv: [...execArgv],
      stdio: ["ignore", "ignore", "inherit", "ipc"],
    });
    this.#child.on("message", (message) => {
      this.#renew();
      if (isFromWorker(message)) onMessage(message);
    });
    this.#child.once("error", (error) => this.#lost.resolve(`could not run: ${error.message}`));
    this.#child.once("exit", (code, signal) =>
      this.#lost.resolve(`ended ${signal ? `by ${signal}` : `with code ${code}`}`),
    );
    this.#renew();
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

  #renew(): void {
    clearTimeout(this.#lease);
    this.#lease = setTimeout(() => this.#lost.resolve(`said nothing for ${this.#leaseMs} ms`), this.#leaseMs).unref();
  }
}
