import { type Context, createContext, Script } from "node:vm";

type Place = { context: Context; script: Script };
/** One for all calls, since making one takes longer than most of what runs in it. */
let place: Place | undefined;

/**
 * Runs `work` to its end, or stops it after `ms` milliseconds and gives null. It is the one way in one process to stop a
 * regular expression that backtracks for ever; nothing else about the script is isolated. Not for work that calls this.
 */
export function withinTime<T>(ms: number, work: () => T): { value: T } | null {
  place ??= { context: createContext({}), script: new Script("work()") };
  place.context["work"] = work;
  try {
    return { value: place.script.runInContext(place.context, { timeout: ms }) };
  } catch (error) {
    // The error may be of the other context, so that its class is not ours.
    if ((error as NodeJS.ErrnoException | null)?.code === "ERR_SCRIPT_EXECUTION_TIMEOUT") return null;
    throw error;
  } finally {
    delete place.context["work"];
  }
}
