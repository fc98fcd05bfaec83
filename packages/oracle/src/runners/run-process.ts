import { randomBytes } from "node:crypto";
import type { ExecResult, Workspace } from "@swarm/core";
import { type RunnerOptions, START_MS } from "./adapter.ts";

/** How the process of a runner is started. */
export type RunnerStart = {
  bootstrap: string;
  /** The command, from the bootstrap's source. The code under test can see it. */
  command(source: string): string[];
  /** The command of a warm run, where there is one. */
  warm?(source: string): string[];
  /** What the bootstrap reads before it begins, with the nonce of this run. */
  input(nonce: string): string;
  env?: Record<string, string>;
  /** The host's `node_modules` that the runner comes from. */
  modules?: string;
  /** Folder in the workspace to start in. Default: its root. */
  cwd?: string;
  /** The longest that the start may take, in milliseconds. Default {@link START_MS}. */
  startMs?: number;
};

/** Runs one process of a runner, with a channel for its records. */
export async function runProcess(
  workspace: Workspace,
  { bootstrap, command, warm, input, env = {}, modules, cwd, startMs = START_MS }: RunnerStart,
  options: RunnerOptions,
): Promise<{ result: ExecResult; nonce: string }> {
  const nonce = randomBytes(16).toString("hex");
  const { signal, timeoutMs } = options;
  const argv = options.warm && warm ? warm(bootstrap) : command(bootstrap);
  const result = await workspace.exec(argv, {
    signal,
    timeoutMs,
    startMs,
    channel: true,
    env,
    input: input(nonce),
    ...(options.loads && { loads: true }),
    ...(options.ahead && warm && { ahead: warm(bootstrap) }),
    ...(cwd !== undefined && { cwd }),
    ...(modules !== undefined && { modules }),
  });
  return { result, nonce };
}
