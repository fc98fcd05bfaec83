import { defineProgram } from "@swarm/core";
import { z } from "zod";
import { fileList, material } from "../material.ts";
import { askFor } from "../structured.ts";
import { SuiteDraftSchema } from "../suite-draft.ts";

/** The tester writes the suite of a task that brings none, and once more when the oracle did not admit what it wrote. */
export const writeTests = defineProgram({
  name: "write-tests",
  input: z.strictObject({
    maxCalls: z.int().positive(),
    windowTurns: z.int().positive(),
    refused: z.strictObject({ draft: SuiteDraftSchema, reason: z.string() }).nullable(),
  }),
  output: SuiteDraftSchema,
  async attempt(context, { maxCalls, windowTurns, refused }) {
    const prompt = [
      material("task", context.task.prompt),
      await fileList(context.files),
      ...(refused ? [material("refused", JSON.stringify(refused.draft)), material("reason", refused.reason)] : []),
      refused
        ? "Your tests were not accepted, for the reason above. Write the whole suite again, mended."
        : "Write the tests of this task.",
    ].join("\n\n");
    const answer = await askFor(context.role("tester"), SuiteDraftSchema, prompt, {
      maxCalls,
      windowTurns,
      cacheable: context.attempt === 0,
    });
    return answer.ok ? context.done(answer.output) : context.fail(answer.fault);
  },
});
