import { defineProgram, headAndTail } from "@swarm/core";
import { z } from "zod";
import { runAgent } from "../agent-loop.ts";
import { fileList, material, testTexts, WrittenTestSchema } from "../material.ts";
import { refusal } from "../structured.ts";

const MOST_DIAGNOSIS = 1_000;

/**
 * The debugger mends the code that failed. A step of its own and not another attempt, since it builds on that code: an
 * attempt would begin from the files before it.
 */
export const repair = defineProgram({
  name: "repair",
  input: z.strictObject({
    specification: z.string(),
    tests: z.array(WrittenTestSchema),
    failure: z.string(),
    /** The diagnoses of earlier repairs, none of which made the tests pass. */
    diagnoses: z.array(z.string()),
    maxCalls: z.int().positive(),
    windowTurns: z.int().positive(),
  }),
  output: z.strictObject({ diagnosis: z.string() }),
  async attempt(context, { specification, tests, failure, diagnoses, maxCalls, windowTurns }) {
    const prompt = [
      material("task", context.task.prompt),
      material("specification", specification),
      await fileList(context.files),
      await testTexts(context, tests),
      ...diagnoses.map((diagnosis, index) => material("diagnosis", diagnosis, `repair ${index + 1}`)),
      material("failure", failure),
      "Find the cause of this failure and mend it.",
    ].join("\n\n");
    const result = await runAgent(context.role("debugger"), prompt, {
      maxCalls,
      windowTurns,
      about: [context.task.prompt, failure].join("\n"),
    });
    if (result.end === "refused") return context.fail(refusal(result));
    const said = result.text.trim() === "" ? `(none was given: ${result.reason})` : result.text;
    return context.done({ diagnosis: headAndTail(said, MOST_DIAGNOSIS) });
  },
});
