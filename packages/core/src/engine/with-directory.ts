import { relative, resolve, sep } from "node:path";
import type { HeldDirectory } from "../contracts/sandbox.ts";
import { InvalidInputError } from "../errors.ts";
import type { Launch, Ports } from "./run-options.ts";

/** Opens a run that holds the directory it works for, if it has one; gives the directory back when that fails. */
export async function withDirectory(
  { workspace, sandbox, store }: Ports,
  runId: string,
  open: (directory: HeldDirectory | null) => Promise<Launch>,
): Promise<Launch> {
  if (workspace === null) return await open(null);
  refuseLogIn(workspace, store.location(runId));
  const directory = await sandbox.hold(workspace);
  try {
    return await open(directory);
  } catch (error) {
    directory.release();
    throw error;
  }
}

/** A directory that holds the log of its own run would be another one after each event. */
function refuseLogIn(workspace: string, location: string | null): void {
  const path = location === null ? [".."] : relative(resolve(workspace), resolve(location)).split(sep);
  if (path[0] === ".." || path.includes(".swarm")) return;
  throw new InvalidInputError(
    "workspace",
    `holds the log ${location} of the run; keep it elsewhere, or below .swarm in it`,
  );
}
