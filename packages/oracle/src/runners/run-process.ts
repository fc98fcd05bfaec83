import { randomBytes } from "node:crypto";
import type { ExecResult, Workspace } from "@swarm/core";
import { type RunnerOptions, START_MS } from "./adapter.ts";

/** How the process of a runner is started. */
export type RunnerStart = {
  bootstrap: string;
  /** The command, from the bootstrap's source and the nonce of this run. */
  command(source: string, nonce: string): string[];
  /** What the bootstrap reads before it begins, where the command does not say all: the code under test can see the command. */
  input?(nonce: string): string;
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
  { bootstrap, command, input, env = {}, modules, cwd, startMs = START_MS }: RunnerStart,
  { signal, timeoutMs, warm = false }: RunnerOptions,
): Promise<{ result: ExecResult; nonce: string }> {
  const nonce = randomBytes(16).toString("hex");
  const result = await workspace.exec(command(bootstrap, nonce), {
    signal,
    timeoutMs,
    startMs,
    channel: true,
    ahead: warm,
    env,
    ...(cwd !== undefined && { cwd }),
    ...(input && { input: input(nonce) }),
    ...(modules !== undefined && { modules }),
  });
  return { result, nonce };
}
