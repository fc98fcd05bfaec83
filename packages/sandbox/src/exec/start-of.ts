import { readFileSync } from "node:fs";
import { hasCode } from "../files/fs-error.ts";

/**
 * When the process with an id started, in ticks of the kernel's clock since boot, by which it is told from a later one with
 * the same id. Null when there is none, or no `/proc`. A zombie, of which only its end is left to be told, is none.
 */
export function startOf(pid: number): string | null {
  let stat: string;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, "latin1");
  } catch (error) {
    if (hasCode(error, "ENOENT", "ESRCH")) return null;
    throw error;
  }
  // The second field is the program's name in brackets, and may hold anything, brackets and blanks too.
  const [state = "", ...fields] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return "ZX".includes(state) ? null : (fields[18] ?? null);
}
