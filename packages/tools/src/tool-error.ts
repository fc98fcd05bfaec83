import { headAndTail, InvalidInputError, NotFoundError, PathError, SwarmError, type ToolOutput } from "@swarm/core";

/** What a model asked for cannot be done as it asked, and it can mend that: the message says how. Nothing was changed. */
export class ToolError extends SwarmError {}

const MENDABLE = [ToolError, PathError, NotFoundError, InvalidInputError];

/** Whether a fault is one for the model, and not one of the machinery. */
export function isMendable(error: unknown): error is SwarmError {
  return MENDABLE.some((kind) => error instanceof kind);
}

const LONGEST_ANSWER = 24_000;

/** A tool's answer: its output bounded, and a failure that the model can mend told as `CODE: what is wrong`. */
export async function answer(work: () => Promise<ToolOutput>): Promise<ToolOutput> {
  try {
    const { output, ...rest } = await work();
    return { ...rest, output: headAndTail(output, LONGEST_ANSWER) };
  } catch (error) {
    if (!isMendable(error)) throw error;
    return { ok: false, output: headAndTail(`${error.code}: ${error.message}`, LONGEST_ANSWER), touched: [] };
  }
}
