import { defineProgram } from "@swarm/core";
import { z } from "zod";
import { fileList, material, testTexts } from "../material.ts";
import { refusal } from "../structured.ts";
import { CoderResultSchema, runCoder } from "./run-coder.ts";

/** The coder works on the whole task, once. However its work ended, what is there is there; only a refusal fails. */
export const work = defineProgram({
  name: "work",
  input: z.strictObject({ maxCalls: z.int().positive(), windowTurns: z.int().positive() }),
  output: CoderResultSchema,
  async attempt(context, { maxCalls, windowTurns }) {
    const given = context.suites.length > 0;
    const prompt = [
      material("task", context.task.prompt),
      await fileList(context.files),
      ...(given ? [await testTexts(context, [])] : []),
      given
        ? "The task brings the tests that decide, as above; do not change them. Do the task."
        : "Do the task. It brings no tests: write some for what you build, since a machine decides by those, and by nothing else, whether your work is right.",
    ].join("\n\n");
    const result = await runCoder(context, "coder", prompt, { maxCalls, windowTurns, about: context.task.prompt });
    return result.end === "refused" ? context.fail(refusal(result)) : context.done(result);
  },
});
