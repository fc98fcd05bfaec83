import { headAndTail, type Schema, type StepContext, type Turn } from "@swarm/core";
import { z } from "zod";
import { type AgentEnd, type AgentOptions, runAgent } from "../agent-loop.ts";
import { type CodeFile, CodeFileSchema, codeOf } from "./code.ts";
import { type Finish, FinishSchema, finish } from "./finish.ts";

export type CoderOptions = Pick<AgentOptions, "maxCalls" | "about" | "windowTurns"> & {
  /** Code of earlier steps, which is part of this work's code too. Default: none. */
  earlier?: readonly CodeFile[];
};

/** What came of a coder's work: how it ended, and the code that is there. Plain JSON. */
export type CoderResult = {
  /** As of {@link runAgent}; `finished` is that it called {@link finish}. */
  end: AgentEnd;
  /** The end in words. */
  reason: string;
  /** What it handed over with; null where it did not end its work. */
  finish: Finish | null;
  /** Words of its last answer where it did not; may be empty. */
  text: string;
  /** Model calls that were made. */
  calls: number;
  code: CodeFile[];
};

const MOST_TEXT = 4_000;

export const CoderResultSchema: Schema<CoderResult> = z.strictObject({
  end: z.enum(["finished", "idle", "unfinished", "calls-spent", "looping", "refused"]),
  reason: z.string(),
  finish: FinishSchema.nullable(),
  text: z.string(),
  calls: z.int().nonnegative(),
  code: z.array(CodeFileSchema),
});

/**
 * Lets a role that has the tool {@link finish} work on a prompt until it calls it or its model calls, 1 to 10, are spent; its memory
 * is asked before each. What it says of its work is only said: the code is read back, and what of it ran is known from the
 * runs. Rejects as {@link runAgent} does.
 */
export async function runCoder(
  context: StepContext,
  role: string,
  prompt: string | readonly Turn[],
  { earlier = [], ...options }: CoderOptions = {},
): Promise<CoderResult> {
  const result = await runAgent(context.role(role), prompt, { ...options, finish: finish.name });
  return {
    end: result.end,
    reason: headAndTail(result.reason, MOST_TEXT),
    finish: result.finish && FinishSchema.parse(result.finish),
    text: result.finish ? "" : headAndTail(result.text, MOST_TEXT),
    calls: result.calls,
    code: await codeOf(context, earlier),
  };
}
