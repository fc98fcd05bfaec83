import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { tempFolder } from "./cli.ts";

const children = new Set<ChildProcess>();

/** For `afterEach`. */
export function killStarted(): void {
  for (const child of children) child.kill("SIGKILL");
  children.clear();
}

export const MAIN = fileURLToPath(new URL("../src/main.ts", import.meta.url));

export type Ended = { code: number | null; signal: string | null; stdout: string; stderr: string };
export type Started = {
  child: ChildProcess;
  /** Resolves when there is such a text. */
  stdoutHas(text: string): Promise<string>;
  stderrHas(text: string): Promise<string>;
  ended: Promise<Ended>;
};

/** The command as a process of its own, which replays its runs where the set-up of the tests says so. */
export function start(
  args: readonly string[],
  cwd = tempFolder(),
  { stdout = "pipe", env: given = {} }: { stdout?: "pipe" | number; env?: Record<string, string> } = {},
): Started {
  const env = { PATH: process.env["PATH"], NODE_OPTIONS: process.env["NODE_OPTIONS_OF_CHILDREN"], ...given };
  const stdio = ["pipe", stdout, "pipe"] as const;
  const child = spawn(process.execPath, ["--conditions=@swarm/source", MAIN, ...args], { cwd, env, stdio: [...stdio] });
  children.add(child);
  const seen = { stdout: "", stderr: "" };
  const waiting = new Set<() => void>();
  for (const name of ["stdout", "stderr"] as const) {
    child[name]?.setEncoding("utf8").on("data", (text: string) => {
      seen[name] += text;
      for (const wake of waiting) wake();
    });
  }
  const { promise: ended, resolve } = Promise.withResolvers<Ended>();
  child.once("close", (code, signal) => resolve({ code, signal, ...seen }));

  async function has(stream: "stdout" | "stderr", text: string): Promise<string> {
    const { promise, resolve } = Promise.withResolvers<string>();
    const wake = () => (seen[stream].includes(text) ? resolve(seen[stream]) : undefined);
    waiting.add(wake);
    wake();
    const tooSoon = ended.then(() =>
      Promise.reject(new Error(`the process ended without saying ${text}: ${seen.stderr}`)),
    );
    try {
      return await Promise.race([promise, tooSoon]);
    } finally {
      waiting.delete(wake);
    }
  }
  return {
    child,
    ended,
    stdoutHas: (text) => has("stdout", text),
    stderrHas: (text) => has("stderr", text),
  };
}
