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

/** How long a worker that rests is kept. */
const REST_MS = 5_000;

export type WorkerListener = {
  onMessage(message: FromWorker): void;
  /** Told what became of the worker when it ended or its lease ran out. */
  onLost(how: string): void;
};

/** One worker process with its lease, which does one thing at a time. */
export class WorkerProcess {
  readonly #child: ChildProcess;
  readonly #leaseMs: number;
  #listener: WorkerListener | null = null;
  #firstMs = START_MS;
  #timer: NodeJS.Timeout | undefined;
  #isLost = false;

  constructor({ env, execArgv, leaseMs }: WorkerOptions) {
    this.#leaseMs = leaseMs;
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
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  get isLost(): boolean {
    return this.#isLost;
  }

  /** Gives it something to do: from here on it has to say something in time. */
  begin(message: ToWorker, listener: WorkerListener): void {
    this.#listener = listener;
    this.#child.ref();
    this.#child.channel?.ref();
    this.#wait(Math.max(this.#leaseMs, this.#firstMs));
    this.send(message);
  }

  /** It has done what it had to. Until the next it keeps nobody up, and it ends where there is none for long. */
  rest(): void {
    this.#listener = null;
    this.#child.unref();
    this.#child.channel?.unref();
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.kill(), REST_MS).unref();
  }

  send(message: ToWorker): void {
    if (this.#child.connected) this.#child.send(message, () => {}); // a worker that is gone is known by its exit
  }

  kill(): void {
    clearTimeout(this.#timer);
    this.#isLost = true;
    this.#child.kill("SIGKILL");
  }

  /** Nothing of a worker that was lost counts: what it says late would fence the next one. */
  #hear(message: unknown): void {
    if (this.#isLost || !this.#listener) return;
    this.#firstMs = 0;
    this.#wait(this.#leaseMs);
    if (isFromWorker(message)) this.#listener.onMessage(message);
  }

  #wait(ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#lose(`said nothing for ${ms} ms`), ms).unref();
  }

  #lose(how: string): void {
    this.#isLost = true;
    this.#listener?.onLost(how);
  }
}
