import { type ExecResult, headAndTail, InvalidInputError, type Tool } from "@swarm/core";
import { z } from "zod";
import { answer } from "./tool-error.ts";

export type RunInput = { argv: string[]; timeoutSeconds?: number };

export type RunOptions = {
  /** Seconds after which a command is ended whose call names no limit, a whole number from 1 to 120. Default 10. */
  timeoutSeconds?: number;
  /** Whether to tell what its commands loaded ({@link ToolOutput}), as far as the sandbox sees it. Default false. */
  loads?: boolean;
};

const MOST_SECONDS = 120;
const MOST_CHARACTERS = 16_000;

/** The `run` tool. Throws an {@link InvalidInputError} for a limit that cannot be. */
export function runWith({ timeoutSeconds: usual = 10, loads = false }: RunOptions = {}): Tool<RunInput> {
  if (!Number.isInteger(usual) || usual < 1 || usual > MOST_SECONDS) {
    throw new InvalidInputError("timeoutSeconds", `is ${usual}; give a whole number from 1 to ${MOST_SECONDS}`);
  }
  return {
    name: "run",
    description: [
      "Runs a command in the workspace's root folder and waits for it to end. Use it to try code out, compile, or look around; to run the task's tests use run_tests.",
      'There is no shell: give the program and its arguments apart, such as ["python3", "-c", "print(1)"]; for pipes write ["sh", "-c", "…"]. There is no network and no input, and what it leaves running is ended.',
      "Returns the exit code, the signal or the time limit that ended it, then standard output and error as they came; of long output the beginning and the end.",
    ].join(" "),
    input: z.strictObject({
      argv: z.array(z.string()).min(1).describe("The program, then each of its arguments."),
      timeoutSeconds: z
        .int()
        .min(1)
        .max(MOST_SECONDS)
        .exactOptional()
        .describe(`Seconds after which it is ended. Default ${usual}, at most ${MOST_SECONDS}.`),
    }),
    effect: "workspace",
    idempotent: false,
    call: ({ argv, timeoutSeconds = usual }, { workspace, signal }) =>
      answer(async () => {
        const result = await workspace.exec(argv, { signal, timeoutMs: timeoutSeconds * 1_000, loads });
        const output = result.output === "" ? "(no output)" : headAndTail(result.output, MOST_CHARACTERS);
        return {
          ok: result.code === 0 && !result.timedOut,
          output: `${endOf(result, timeoutSeconds)}\n${output}`,
          ...(result.loaded ? { loaded: result.loaded } : {}),
          measured: { durationMs: result.durationMs, ...(result.whole === null ? {} : { whole: result.whole }) },
        };
      }),
  };
}

/** The `run` tool with its defaults. */
export const run: Tool<RunInput> = runWith();

function endOf({ code, signal, timedOut }: ExecResult, timeoutSeconds: number): string {
  if (timedOut) return `ended by its time limit of ${timeoutSeconds} s`;
  return code === null ? `ended by signal ${signal}` : `exit code ${code}`;
}
