import type { ExecResult, Files, Workspace } from "@swarm/core";

/** What an attack is up against, new for every run of one. Its paths and numbers are in the command's environment. */
export type World = {
  /** `OUTSIDE`: a folder of the host with the files `secret` (`SECRET_FILE`), `linked` and `victim`. */
  outside: string;
  /** Found in nothing but the secret file, the environment of the host's processes, and what its servers answer. */
  secret: string;
  /** `VICTIM`: a process of the host. */
  victim: { pid: number; alive(): boolean };
  /** `SLEEP`: seconds that nothing else sleeps, to find a sleeper by. */
  sleep: string;
  env: Record<string, string>;
};

/** A run of an attack that has ended. */
export type Seen = {
  world: World;
  result: Pick<ExecResult, "output" | "timedOut">;
  /** Where the command ran, on the host. */
  folder: string;
  /** Processes of the host that sleep for `world.sleep` seconds. */
  sleepers: number[];
};

export type Attack = {
  /** What it does: "read a file of the user". */
  name: string;
  files?: Files;
  argv: readonly string[];
  timeoutMs?: number;
  /** Whether it gets through where commands are plain processes of this package. Under bubblewrap none does. */
  plain: "blocked" | "gets through";
  /** Comes from a program of its own, started with the key `HOST_KEY` in its environment and the secret file as descriptor 40. */
  fromProgram?: true;
  /** Only root could do this outside of any sandbox. */
  needsRoot?: true;
  /** Output of the attack outside of any sandbox by which this machine has no such thing, with what it lacks. */
  lacking?: readonly [RegExp, string];
  /** What the host does after the command, with the care that is tested, and as one would without a thought. */
  host?: { careful(workspace: Workspace, world: World): Promise<string>; careless(seen: Seen): string };
  /** Default: its output, or what the host got, holds the secret or the word `ESCAPED`. */
  gotThrough?(seen: Seen): boolean;
};

export const ESCAPED = "ESCAPED";

export const sh = (script: string) => ["sh", "-c", script];
/** Beside Python's own: `env`, `call(number, …)` for a system call, and `escaped()`. */
export const python = (script: string) => ["python3", "-I", "-c", `${PRELUDE}\n${script}`];

const PRELUDE = `
import ctypes, fcntl, os, pty, signal, socket, stat, struct, sys, termios, threading, time
env = os.environ
libc = ctypes.CDLL(None, use_errno=True)
def checked(result):
    if result < 0: raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result
def call(number, *args):
    return checked(libc.syscall(number, *[ctypes.c_long(a) if isinstance(a, int) else a for a in args]))
def escaped():
    print("ESCAPED", flush=True)`;
