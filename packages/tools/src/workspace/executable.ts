import { SandboxError, type Workspace } from "@swarm/core";

const TIMEOUT_MS = 10_000;

export async function isExecutable(workspace: Workspace, path: string, signal: AbortSignal): Promise<boolean> {
  const { code } = await workspace.exec(["test", "-x", `./${path}`], { signal, timeoutMs: TIMEOUT_MS });
  return code === 0;
}

/** `path` has to be a file of the workspace that was just written, so that it is known to be no link. */
export async function setExecutable(
  workspace: Workspace,
  path: string,
  executable: boolean,
  signal: AbortSignal,
): Promise<void> {
  const argv = ["chmod", executable ? "+x" : "-x", `./${path}`];
  const { code, output } = await workspace.exec(argv, { signal, timeoutMs: TIMEOUT_MS });
  if (code !== 0) throw new SandboxError(`${argv.join(" ")} failed: ${output}`);
}
