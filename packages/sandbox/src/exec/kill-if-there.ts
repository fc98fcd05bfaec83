import { hasCode } from "../files/fs-error.ts";

/** Sends a signal to a process, or with a negative id to its group, unless it is gone or not ours. */
export function killIfThere(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (!hasCode(error, "ESRCH", "EPERM")) throw error;
  }
}
