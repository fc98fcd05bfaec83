import type { Command } from "./flag.ts";
import { JSON_FLAG, RUNS_FLAG } from "./shared.ts";

/** The commands about what there is. */
export const UPKEEP = {
  tasks: { summary: "List the built-in tasks and the demos.", argument: null, flags: [JSON_FLAG] },
  gc: {
    summary: "Remove the stored files that no run needs any more.",
    argument: null,
    flags: [
      { name: "dry-run", value: null, default: null, help: "Remove nothing, and say what would be removed." },
      JSON_FLAG,
      RUNS_FLAG,
    ],
  },
  doctor: {
    summary: "Say what is installed, what is missing, and what that costs.",
    argument: null,
    flags: [JSON_FLAG, RUNS_FLAG],
  },
} as const satisfies Record<string, Command>;
