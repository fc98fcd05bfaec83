import { defineProgram, headAndTail } from "@swarm/core";
import { z } from "zod";
import { runAgent } from "../agent-loop.ts";
import { fileList, material, testTexts, WrittenTestSchema } from "../material.ts";
import { refusal } from "../structured.ts";

const MOST_TEXT = 4_000;

/** The developer builds what the architect specified. What it leaves is tested by the step after this one, however it ended. */
export const develop = defineProgram({
  name: "develop",
  input: z.strictObject({
    specification: z.string(),
    tests: z.array(WrittenTestSchema),
    maxCalls: z.int().positive(),
    windowTurns: z.int().positive(),
  }),
  output: z.strictObject({ summary: z.string() }),
  async attempt(context, { specification, tests, maxCalls, windowTurns }) {
    const prompt = [
      material("task", context.task.prompt),
      material("specification", specification),
      await fileList(context.files),
      await testTexts(context, tests),
      "Build it.",
    ].join("\n\n");
    const result = await runAgent(context.role("developer"), prompt, {
      maxCalls,
      windowTurns,
      about: [context.task.prompt, specification].join("\n"),
    });
    if (result.end === "refused") return context.fail(refusal(result));
    return context.done({ summary: headAndTail(result.text, MOST_TEXT) });
  },
});
