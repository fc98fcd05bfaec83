import { createRedactor, InvalidInputError, messageOf, SwarmError } from "@swarm/core";
import { EXIT } from "./exit-codes.ts";
import type { CliIO } from "./io.ts";
import { clean } from "./view/line.ts";

const redact = createRedactor();
/** Nothing is wrong with what was asked for: a server or a worker is not there. */
const NOT_THERE = ["PLATFORM_FAILED", "NO_WORKER"];

/**
 * Tells of an error on stderr, and with `json` as an object on stdout too. Returns the exit code: what the caller can put
 * right is refused, what is missing elsewhere is told apart from it; anything else is a bug, whose stack is shown.
 */
export function reportError(error: unknown, io: CliIO, json: boolean): number {
  const known = isForeseen(error);
  const message = redact(messageOf(error)); // a key that was pasted into the wrong place
  if (known) io.stderr.write(`swarm: ${clean(message)}\n`);
  else io.stderr.write(`${stackOf(error)}\nswarm: this is a bug in swarm; please report it with the lines above\n`);
  if (json) {
    const code = known ? error.code : "BUG";
    const field = error instanceof InvalidInputError ? error.field : null;
    io.stdout.write(`${JSON.stringify({ error: { code, field, message } }, null, 2)}\n`);
  }
  return known && !NOT_THERE.includes(error.code) ? EXIT.refused : EXIT.notPassed;
}

/** An error of ours, or one of the operating system, such as a folder that may not be written to. */
export function isForeseen(error: unknown): error is Error & { code: string } {
  const ofSystem = error instanceof Error && "syscall" in error && "code" in error && typeof error.code === "string";
  return ofSystem || error instanceof SwarmError;
}

function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
