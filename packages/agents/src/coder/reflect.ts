import type { Done, Schema, StepContext } from "@swarm/core";
import { z } from "zod";
import { fileTexts, material, WordsSchema } from "../material.ts";
import { askFor } from "../structured.ts";
import { type CodeFile, codeOf } from "./code.ts";
import { type CoderOptions, type CoderResult, CoderResultSchema, runCoder } from "./run-coder.ts";

/** What a coder has against its own code. */
export type Critique = {
  /** Where the code is likely to be wrong, and how. */
  bugs: string[];
  /** Inputs and situations that it does not take care of. */
  edgeCases: string[];
  /** What is to be changed about it. */
  revision: string;
};

export const CritiqueSchema: Schema<Critique> = z.strictObject({
  bugs: z.array(WordsSchema),
  edgeCases: z.array(WordsSchema),
  revision: WordsSchema,
});

/** A critique and what became of it: `no_revision` where neither of two revisions changed a file. */
export type Reflection = {
  critique: Critique;
  outcome: "revised" | "no_revision";
  result: CoderResult;
  /** The first revision where that changed no file; null where it did. */
  unchanged: CoderResult | null;
};

export const ReflectionSchema: Schema<Reflection> = z.strictObject({
  critique: CritiqueSchema,
  outcome: z.enum(["revised", "no_revision"]),
  result: CoderResultSchema,
  unchanged: CoderResultSchema.nullable(),
});

const MOST_CODE = 24_000;
/** A critique that does not fit its form is asked for twice more. */
const CRITIQUE_CALLS = 3;
const FORM =
  '{"bugs":["where the code is likely to be wrong"],"edgeCases":["what it does not take care of"],"revision":"what to change"}';

/**
 * Lets a coder criticise the code that it delivered and revise it; once more where that changed no file. `about` is the task in its own
 * words. Fails as {@link askFor} does where there is no critique, rejects as {@link runCoder} does.
 */
export async function reflect(
  context: StepContext,
  role: string,
  about: string,
  { earlier = [], ...options }: Omit<CoderOptions, "about"> = {},
): Promise<Done<Reflection>> {
  const before = await codeOf(context, earlier);
  const texts = await fileTexts(
    context.files,
    before.map(({ path }) => path),
    MOST_CODE,
  );
  const given = [material("task", about), ...texts].join("\n\n");
  const asked = `${given}\n\nThis is your own code for the task. Look for what is wrong with it: likely bugs first, then edge cases. Change nothing yet. Answer in the form ${FORM}`;
  const critique = await askFor(context.role(role), CritiqueSchema, asked, {
    maxCalls: CRITIQUE_CALLS,
    about,
  });
  if (!critique.ok) return critique;

  const prompt = `${given}\n\n${material("critique", JSON.stringify(critique.output))}\n\nThis is your own code for the task, and what you found to be wrong with it. Revise the code, run it, and end your work.`;
  const revise = (more: string) => runCoder(context, role, prompt + more, { ...options, earlier, about });
  let result = await revise("");
  let unchanged: CoderResult | null = null;
  if (isSame(before, result.code) && result.end !== "refused") {
    unchanged = result;
    result = await revise("\n\nA first revision changed no file. Make the change that the critique asks for.");
  }
  const outcome = isSame(before, result.code) ? "no_revision" : "revised";
  return { ok: true, output: { critique: critique.output, outcome, result, unchanged } };
}

function isSame(one: readonly CodeFile[], other: readonly CodeFile[]): boolean {
  const contents = (code: readonly CodeFile[]) => JSON.stringify(code.map(({ path, sha256 }) => [path, sha256]));
  return contents(one) === contents(other);
}
