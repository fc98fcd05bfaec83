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
  /** At least the program: a path, or a name that was found on the sandbox's own PATH and replaced by its path, or that will be. */
  argv: readonly string[];
  /** Workspace path of the folder to start in, `""` for the root. */
  cwd: string;
  /** All of the environment, in terms of `/workspace`. */
  env: Record<string, string>;
  options: ExecOptions;
};

/** Sandboxes that are started before it is known what for: each waits for the order of one command. */
export type Blank = {
  /** `env` are the variables that every command has. */
  launch(place: Place, given: Pick<Command, "env"> & { channel: boolean }): Promise<Launch>;
  /** Of a command whose `env` is what it has besides. Null where it cannot be told so. */
  order(command: Command): string | null;
};

/** A way to start commands so that they cannot reach further than they should. */
export interface Isolation {
  /** Whether paths in `/workspace` must be turned into those of the host for the command to find them. */
  readonly rebase: boolean;
  /** Whether a command can be started ahead of its use: nothing reaches it, or what it will find, from outside until then. */
  readonly ahead: boolean;
  /** Whether a program's bare name is looked up where the command runs, and not on this machine. */
  readonly ownPrograms: boolean;
  launch(place: Place, command: Command): Promise<Launch>;
  /** Absent where no command can be started before it is known. */
  readonly blank?: Blank;
  /** Gives back what the machine keeps for a place. Called when nothing runs there any more; never rejects. */
  release(place: Place): Promise<void>;
}

/**
 * Sets limits, joins standard error to standard output, so that what a command says stays in order, and becomes the command.
 * Nothing of the command is ever parsed by the shell: it arrives as arguments.
 *
 * @param limits shell code that ends with another code when it cannot set them, and says so on standard error
 */
export function joinAndExec(limits: string): [string, ...string[]] {
  return ["/bin/sh", "-c", `${limits}; exec 2>&1; exec "$@"`, "sh"];
}

/** A core file would lie in the workspace. */
export const NO_CORE_FILE = "ulimit -c 0";
