import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { fileURLToPath } from "node:url";
import type { DisturbedWorkers } from "@swarm/core/testing";
import type { Reached } from "./serve-worker.ts";

const PROGRAM = fileURLToPath(new URL("./worker.ts", import.meta.url));

/** How a worker is started, beside what reaches it. */
export type Started = {
  env?: Record<string, string>;
  /** A command that runs the worker as its last arguments say, such as one that enters a network. Default: none. */
  within?: readonly string[];
};
type Running = { child: ChildProcess; started: Started };

/** Worker processes that tests disturb; each that ends is replaced by one that is started in the same way. */
export class WorkerPool implements DisturbedWorkers {
  readonly #program: string;
  readonly #running = new Map<string, Running>();
  readonly #children = new Map<ChildProcess, Promise<unknown>>();
  #closed = false;

  /** @param program that of each worker; default: one that knows the conformance team. */
  constructor(program = PROGRAM) {
    this.#program = program;
  }

  async start(reached: Reached, started: Started = {}): Promise<void> {
    if (this.#closed) return;
    const [execPath = process.execPath, ...execArgv] = [...(started.within ?? []), process.execPath];
    const child = fork(this.#program, [JSON.stringify(reached)], {
      execPath,
      execArgv: [...execArgv, "--conditions=@swarm/source"],
      env: { ...process.env, ...started.env },
      stdio: ["ignore", "inherit", "inherit", "ipc"],
    });
    this.#children.set(child, once(child, "exit"));
    child.once("message", (message) => this.#running.set((message as { id: string }).id, { child, started }));
    child.once("exit", () => {
      for (const [id, running] of this.#running) if (running.child === child) this.#running.delete(id);
      void this.start(reached, started); // takes as long as a machine does: who kills one does not wait for the next
    });
    await Promise.race([once(child, "message"), this.#children.get(child)]);
  }

  /** What a worker that is running was started with. */
  startedAs(id: string): Started | undefined {
    return this.#running.get(id)?.started;
  }

  kill(id: string): void {
    this.#signal(id, "SIGKILL");
  }

  freeze(id: string): void {
    this.#signal(id, "SIGSTOP");
  }

  thaw(id: string): void {
    this.#signal(id, "SIGCONT");
  }

  drain(id: string): void {
    this.#signal(id, "SIGTERM");
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const child of this.#children.keys()) child.kill("SIGKILL");
    await Promise.all(this.#children.values());
  }

  #signal(id: string, signal: NodeJS.Signals): void {
    this.#running.get(id)?.child.kill(signal); // one that has just ended is replaced already
  }
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, "close");
  return port;
}
