import { type ChildProcess, spawn } from "node:child_process";
import type { CliIO } from "../io.ts";

/** How much of what a process said last is kept, for when it fails. */
const KEPT = 2_000;

/** A process of `swarm up`, in a group of its own: Ctrl-C reaches it by us alone. It ends with us, however we end. */
export class Child {
  readonly #process: ChildProcess;
  #said = "";
  #over = false;
  /** Resolves with how it ended. */
  readonly ended: Promise<string>;

  constructor(
    program: string,
    args: readonly string[],
    { cwd, env, onStdout }: { cwd: string; env: CliIO["env"]; onStdout?(text: string): void },
  ) {
    this.#process = spawn(program, args, { cwd, env: { ...env }, stdio: ["ignore", "pipe", "pipe"], detached: true });
    for (const stream of [this.#process.stdout, this.#process.stderr])
      stream?.setEncoding("utf8").on("data", (text: string) => {
        this.#said = (this.#said + text).slice(-KEPT);
      });
    if (onStdout) this.#process.stdout?.on("data", onStdout);
    const leash = this.#process.pid === undefined ? null : leashOf(this.#process.pid);
    const { promise, resolve } = Promise.withResolvers<string>();
    this.#process.once("error", (error) => resolve(`could not be started: ${error.message}`));
    this.#process.once("close", (code, signal) => resolve(`ended ${signal ? `by ${signal}` : `with code ${code}`}`));
    this.ended = promise.finally(() => {
      this.#over = true;
      leash?.kill("SIGKILL"); // before the group's number can be another's
    });
  }

  get pid(): number | undefined {
    return this.#process.pid;
  }

  get over(): boolean {
    return this.#over;
  }

  /** The last line that it wrote, without the command's name before it. */
  get lastLine(): string {
    return (
      this.#said
        .trimEnd()
        .split("\n")
        .at(-1)
        ?.replace(/^swarm: /, "") ?? ""
    );
  }

  signal(name: NodeJS.Signals): void {
    if (!this.#over) this.#process.kill(name);
  }
}

/** A shell that waits for the end of its input, which comes when we are gone, even by `kill -9`, and then ends a group of processes. */
function leashOf(group: number): ChildProcess {
  const script = 'read _; kill -9 "-$0"';
  return spawn("/bin/sh", ["-c", script, `${group}`], { stdio: ["pipe", "ignore", "ignore"], detached: true });
}
