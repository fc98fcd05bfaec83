import { randomBytes } from "node:crypto";
import type { ExecResult, Workspace } from "@swarm/core";
import { type RunnerOptions, START_MS } from "./adapter.ts";

/** How the process of a runner is started. */
export type RunnerStart = {
  bootstrap: string;
  /** The command, from the bootstrap's source and the nonce of this run. */
  command(source: string, nonce: string): string[];
  env?: Record<string, string>;
  /** The host's `node_modules` that the runner comes from. */
  modules?: string;
};

/** Runs one process of a runner, with a channel for its records. */
export async function runProcess(
  workspace: Workspace,
  { bootstrap, command, env = {}, modules }: RunnerStart,
  { signal, timeoutMs }: RunnerOptions,
): Promise<{ result: ExecResult; nonce: string }> {
  const nonce = randomBytes(16).toString("hex");
  const result = await workspace.exec(command(bootstrap, nonce), {
    signal,
    timeoutMs,
    startMs: START_MS,
    channel: true,
    env,
    ...(modules !== undefined && { modules }),
  });
  return { result, nonce };
}
