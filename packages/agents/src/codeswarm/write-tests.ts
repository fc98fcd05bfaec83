import { defineProgram, type Suite } from "@swarm/core";
import { z } from "zod";
import { askFor } from "../structured.ts";
import { fileList, material, WrittenTestSchema } from "./material.ts";

const DraftSchema = z.strictObject({
  runner: z.enum(["pytest", "node:test"]),
  files: z
    .array(WrittenTestSchema)
    .min(1)
    .refine((files) => new Set(files.map(({ path }) => path)).size === files.length, "two files have the same path"),
});
export type SuiteDraft = z.infer<typeof DraftSchema>;

/** The tester writes the suite of a task that brings none, and once more when the oracle did not admit what it wrote. */
export const writeTests = defineProgram({
  name: "write-tests",
  input: z.strictObject({
    maxCalls: z.int().positive(),
    refused: z.strictObject({ draft: DraftSchema, reason: z.string() }).nullable(),
  }),
  output: DraftSchema,
  async attempt(context, { maxCalls, refused }) {
    const prompt = [
      material("task", context.task.prompt),
      await fileList(context.files),
      ...(refused ? [material("refused", JSON.stringify(refused.draft)), material("reason", refused.reason)] : []),
      refused
        ? "Your tests were not accepted, for the reason above. Write the whole suite again, mended."
        : "Write the tests of this task.",
    ].join("\n\n");
    const answer = await askFor(context.role("tester"), DraftSchema, prompt, {
      maxCalls,
      cacheable: context.attempt === 0,
    });
    return answer.ok ? context.done(answer.output) : context.fail(answer.fault);
  },
});

export function suiteOf(draft: SuiteDraft): Suite {
  const files = Object.fromEntries(draft.files.map(({ path, content }) => [path, content]));
  return { id: "tests", author: "tester", runner: draft.runner, files };
}
