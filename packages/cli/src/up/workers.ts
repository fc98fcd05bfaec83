import { fileURLToPath } from "node:url";
import { SwarmError } from "@swarm/core";
import type { CliIO } from "../io.ts";
import { Child } from "./child.ts";

/** The command itself: beside the folder of this file or, in a bundle, beside all of them. */
const MAIN = fileURLToPath(new URL(import.meta.url.endsWith(".ts") ? "../main.ts" : "./main.js", import.meta.url));

export type ReadyWorker = { id: string; url: string; pid: number | undefined };

/** Worker processes of the same kind. One that ends is replaced, unless they are to end. */
export class Workers {
  readonly #flags: readonly string[];
  readonly #io: CliIO;
  readonly #say: (text: string) => void;
  readonly #children = new Set<Child>();
  readonly #ready = new Map<Child, ReadyWorker>();
  #ending = false;

  constructor(flags: readonly string[], io: CliIO, say: (text: string) => void) {
    this.#flags = flags;
    this.#io = io;
    this.#say = say;
  }

  /** Those that take steps now. */
  get ready(): readonly ReadyWorker[] {
    return [...this.#ready.values()];
  }

  /** Resolves when it takes steps. Rejects with what it said where it ends before. */
  async start(): Promise<ReadyWorker> {
    const { promise: ready, resolve } = Promise.withResolvers<Pick<ReadyWorker, "id" | "url">>();
    let said = "";
    const onStdout = (text: string) => {
      said += text;
      if (said.endsWith("\n}\n")) resolve(JSON.parse(said));
    };
    const args = [...process.execArgv, MAIN, "worker", "--json", ...this.#flags];
    const child = new Child(process.execPath, args, { cwd: this.#io.cwd, env: this.#io.env, onStdout });
    this.#children.add(child);
    const { id, url } = await Promise.race([ready, this.#lost(child)]);
    const worker = { id, url, pid: child.pid };
    this.#ready.set(child, worker);
    void child.ended.then((how) => this.#replace(child, `${id} ${how}`));
    return worker;
  }

  signal(name: NodeJS.Signals): void {
    this.#ending = true;
    for (const child of this.#children) child.signal(name);
  }

  async ended(): Promise<void> {
    await Promise.all([...this.#children].map((child) => child.ended));
  }

  async #lost(child: Child): Promise<never> {
    const how = await child.ended;
    throw new SwarmError("WORKER_FAILED", `a worker ${how}: ${child.lastLine || "it said nothing"}`);
  }

  #replace(child: Child, how: string): void {
    this.#children.delete(child);
    this.#ready.delete(child);
    if (this.#ending) return;
    this.#say(`worker ${how}; another one starts in its place`);
    this.start().then(
      ({ id }) => this.#say(`worker ${id} takes steps`),
      (error: Error) => this.#say(error.message),
    );
  }
}
