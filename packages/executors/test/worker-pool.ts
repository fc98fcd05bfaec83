import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { fileURLToPath } from "node:url";
import type { DisturbedWorkers } from "@swarm/core/testing";
import type { Reached } from "./worker.ts";

const PROGRAM = fileURLToPath(new URL("./worker.ts", import.meta.url));

/** Worker processes that the conformance suite disturbs; each that ends is replaced by one that is reached in the same way. */
export class WorkerPool implements DisturbedWorkers {
  readonly #running = new Map<string, { child: ChildProcess; reached: Reached }>();
  readonly #children = new Map<ChildProcess, Promise<unknown>>();
  #closed = false;

  async start(reached: Reached): Promise<void> {
    if (this.#closed) return;
    const child = fork(PROGRAM, [JSON.stringify(reached)], {
      execArgv: ["--conditions=@swarm/source"],
      stdio: ["ignore", "inherit", "inherit", "ipc"],
    });
    this.#children.set(child, once(child, "exit"));
    child.once("message", (message) => this.#running.set((message as { id: string }).id, { child, reached }));
    await Promise.race([once(child, "message"), this.#children.get(child)]);
  }

  /** Does not wait for the one in its place: that takes as long as a machine does. */
  kill(id: string): void {
    const { child, reached } = this.#take(id);
    child.kill("SIGKILL");
    child.once("exit", () => void this.start(reached));
  }

  freeze(id: string): void {
    this.#running.get(id)?.child.kill("SIGSTOP");
  }

  thaw(id: string): void {
    this.#running.get(id)?.child.kill("SIGCONT");
  }

  drain(id: string): void {
    const { child, reached } = this.#take(id);
    child.kill("SIGTERM");
    child.once("exit", () => void this.start(reached));
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const child of this.#children.keys()) child.kill("SIGKILL");
    await Promise.all(this.#children.values());
  }

  #take(id: string): { child: ChildProcess; reached: Reached } {
    const found = this.#running.get(id);
    if (!found) throw new Error(`no worker ${id} is running`);
    this.#running.delete(id);
    return found;
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
