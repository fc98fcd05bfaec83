import type { ExecOptions } from "@swarm/core";
import type { Started } from "../exec/run-command.ts";
import { statOf } from "../files/open-file.ts";

type Spare = { command: Promise<Started | null>; root: string; timeoutMs: number };
type Keep = { most: number; start(timeoutMs: number): Promise<Started | null> };

/**
 * Commands of one workspace that were started ahead of their use, a few of a kind. Each serves one call, so that no call finds
 * anything of another one in it.
 */
export class Spares {
  readonly #folder: string;
  readonly #kept = new Map<string, Spare[]>();
  /** By kind, the longest time that a call of it asked for. */
  readonly #longest = new Map<string, number>();

  /** `folder` is where the workspace lies on the host. */
  constructor(folder: string) {
    this.#folder = folder;
  }

  /** A command that waits for the input of such a call; null when there is none that still can serve. */
  async take(argv: readonly string[], options: ExecOptions): Promise<Started | null> {
    const kept = this.#kept.get(kindOf(argv, options));
    for (let spare = kept?.shift(); spare; spare = kept?.shift()) {
      const command = await spare.command;
      if (!command) continue;
      // It sees the folder that was the workspace when it started, and its limits are those of its start.
      if (!command.ended && spare.root === this.#root() && spare.timeoutMs >= options.timeoutMs) return command;
      await discard(command);
    }
    return null;
  }

  /**
   * Keeps one more command for the next such calls, up to `most`; `start` is given a time that was enough for all until now. When it cannot be
   * started there is none: the call that needs it starts its own, and tells what is wrong. Says whether there was room for it.
   */
  keep(argv: readonly string[], options: ExecOptions, { most, start }: Keep): boolean {
    const kind = kindOf(argv, options);
    const kept = this.#kept.get(kind) ?? [];
    if (kept.length >= most) return false;
    this.#kept.set(kind, kept);
    const timeoutMs = Math.max(options.timeoutMs, this.#longest.get(kind) ?? 0);
    this.#longest.set(kind, timeoutMs);
    const command = start(timeoutMs).catch(() => null);
    void command.then((started) => started?.unref());
    kept.push({ command, root: this.#root(), timeoutMs });
    return true;
  }

  /** Ends all of them, and resolves when they are gone. */
  async discard(): Promise<void> {
    const commands = await Promise.all([...this.#kept.values()].flat().map(({ command }) => command));
    this.#kept.clear();
    await Promise.all(commands.map((command) => command && discard(command)));
  }

  #root(): string {
    const stat = statOf(this.#folder);
    return `${stat?.dev}:${stat?.ino}:${stat?.birthtimeNs}`; // a number may be given again
  }
}

async function discard(command: Started): Promise<void> {
  const running = command.begin({ signal: new AbortController().signal, timeoutMs: 1, input: "" });
  running.kill();
  await Promise.allSettled([running.gone, running.result]);
}

/** Equal for calls that the same command can serve. */
function kindOf(argv: readonly string[], { signal, timeoutMs, input, ahead, ...options }: ExecOptions): string {
  return JSON.stringify([argv, options]);
}
