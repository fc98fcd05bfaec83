import type { ChildProcess } from "node:child_process";
import { readFileSync } from "node:fs";
import { Socket } from "node:net";
import { constants } from "node:os";
import { setTimeout as delay, setImmediate as turn } from "node:timers/promises";
import { SandboxError, startOf } from "@swarm/core";
import { killIfThere } from "./kill-if-there.ts";
import { killStrays, outputOf } from "./stray-processes.ts";

export type Exit = { code: number | null; signal: string | null };

/** A command with all that it starts. */
export interface ProcessTree {
  /** Lets the command go on where it waits, and what it uses count. Called once. */
  begin(): void;
  /** Asks the command and its group to end. */
  terminate(): void;
  /** Ends what can be named at once. */
  kill(): void;
  /** Ends whatever is left after the command, and resolves when nothing of it runs any more. */
  clear(): Promise<void>;
  /** After that, resolves when nothing is left of what it ran in either. Absent where it ran in nothing of its own. */
  gone?(): Promise<void>;
  /** How the command ended, from how the process that was spawned did. Throws a {@link SandboxError} when it never ran. */
  outcome(exit: Exit, machinery: { status: string; complaint: string }): Exit;
}

/**
 * A process group, and the processes of the workspace in `folder` that left it, or hold the command's output. The command waits
 * on the descriptor `line` until it may begin.
 */
export function processGroup(child: ChildProcess, { folder, line }: { folder: string; line: number }): ProcessTree {
  const output = child.pid === undefined ? null : outputOf(child.pid);
  const since = child.pid === undefined ? null : startOf(child.pid);
  const group = (signal: NodeJS.Signals) => {
    if (child.pid !== undefined) killIfThere(-child.pid, signal);
  };
  return {
    begin() {
      const waiting = child.stdio[line];
      if (waiting instanceof Socket) waiting.end("\n");
    },
    terminate: () => group("SIGTERM"),
    kill: () => group("SIGKILL"),
    async clear() {
      group("SIGKILL");
      await killStrays(folder, { output, since });
    },
    outcome: (exit) => exit,
  };
}

/** A process namespace under bwrap. Its first process takes all others with it; `status` is what bwrap told so far. */
export function processNamespace(child: ChildProcess, status: () => string): ProcessTree {
  const first = () => firstProcess(status());
  let asked = false;
  const kill = () => {
    asked = true;
    // Ended before it has told of its first process, bwrap would leave that one behind.
    if (first() === 0 && child.exitCode === null && child.signalCode === null) {
      setTimeout(kill, 1);
      return;
    }
    child.kill("SIGKILL");
    if (first() > 0) killIfThere(first(), "SIGKILL");
  };
  return {
    begin() {},
    terminate() {
      asked = true;
      // The first process leads the command's group and is itself deaf to this signal.
      if (first() > 0) killIfThere(-first(), "SIGTERM");
    },
    kill,
    async clear() {
      // What bwrap told before its exit may still lie in the pipe: a turn of the loop reads it.
      for (let turns = 0; first() === 0 && turns < 5; turns += 1) await turn();
      if (first() === 0) return;
      killIfThere(first(), "SIGKILL"); // so that it starts nothing any more
      if (!isEmpty(first())) await untilGone(first());
    },
    async gone() {
      if (first() > 0) await untilGone(first());
    },
    outcome(exit, machinery) {
      const told = /"exit-code": (\d+)/.exec(machinery.status)?.[1];
      const failed = /^(?:bwrap|sh): /m.test(machinery.complaint);
      if (told !== undefined && !failed) return exitOf(Number(told));
      // Asked to end before it was begun, a command is no longer told of; bwrap itself ends as it did.
      if (asked && !failed) return exit.code === null ? exit : exitOf(exit.code);
      if (exit.signal !== null && !failed) {
        throw new SandboxError(`the command's sandbox was ended from outside, by ${exit.signal}; run it again`);
      }
      throw new SandboxError(
        `bubblewrap could not run the command: ${machinery.complaint.trim() || JSON.stringify(exit)}`,
      );
    },
  };
}

/** The id, outside, of the first process of a namespace; 0 when bwrap has not told it yet. */
export function firstProcess(status: string): number {
  return Number(/"child-pid": (\d+)/.exec(status)?.[1] ?? 0);
}

// Of several names for one number the first is the common one, so it is set last.
const SIGNALS = new Map(
  Object.entries(constants.signals)
    .map(([name, number]) => [number, name] as const)
    .reverse(),
);

/**
 * Bwrap and docker tell a signal as 128 and its number, as shells do. 129 stays a code: several programs, git among them, use it for
 * wrong usage, and without a terminal nothing hangs up.
 */
export function exitOf(code: number): Exit {
  const signal = code > 129 ? SIGNALS.get(code - 128) : undefined;
  return signal === undefined ? { code, signal: null } : { code: null, signal };
}

/**
 * Whether a namespace has no process but its first, which is bwrap's own: the kernel takes a while to take it apart. All others descend
 * from the first. False where that is not to be seen.
 */
function isEmpty(first: number): boolean {
  try {
    return readFileSync(`/proc/${first}/task/${first}/children`, "latin1") === "";
  } catch {
    return false;
  }
}

/** A zombie counts as gone: the first process of a namespace becomes one only when all others are dead. */
async function untilGone(pid: number): Promise<void> {
  for (let round = 0; round < 2_000; round += 1) {
    if (startOf(pid) === null) return;
    killIfThere(pid, "SIGKILL");
    await (round < 20 ? turn() : delay(1));
  }
  throw new SandboxError(`process ${pid} did not end within two seconds of being killed`);
}
