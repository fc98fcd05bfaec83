import { join } from "node:path";
import type { ExecOptions } from "@swarm/core";
import type { Launch } from "../exec/run-command.ts";

/** The folder of a workspace on the host, and what lies in it. All of it goes when the workspace is disposed of. */
export type Place = {
  /** Real path. Its paths with this prefix erased are the paths that commands see. */
  base: string;
  /** `<base>/workspace` */
  workspace: string;
};

export function placeIn(base: string): Place {
  return { base, workspace: join(base, "workspace") };
}

export type Command = {
  /** At least the program: a path, or a name that was found on the sandbox's own PATH and replaced by its path. */
  argv: readonly string[];
  /** Workspace path of the folder to start in, `""` for the root. */
  cwd: string;
  /** All of the environment, in terms of `/workspace`. */
  env: Record<string, string>;
  options: ExecOptions;
};

/** A way to start commands so that they cannot reach further than they should. */
export interface Isolation {
  /** Whether paths in `/workspace` must be turned into those of the host for the command to find them. */
  readonly rebase: boolean;
  /** Whether a command can be started ahead of its use: nothing reaches it, or what it will find, from outside until then. */
  readonly ahead: boolean;
  launch(place: Place, command: Command): Promise<Launch>;
}

/**
 * Joins standard error to standard output, so that what a command says stays in order, allows no core file, which would
 * lie in the workspace, and becomes the command. Nothing of it is ever parsed by the shell: it arrives as arguments.
 */
export const JOIN_AND_EXEC = ["/bin/sh", "-c", 'exec 2>&1; ulimit -c 0; exec "$@"', "sh"] as const;
