import { defineProgram } from "@swarm/core";
import { z } from "zod";
import { fileList, material, testTexts, WordsSchema, WrittenTestSchema } from "../material.ts";
import { askFor } from "../structured.ts";

export const PlanStepSchema = z.strictObject({ title: WordsSchema, instructions: WordsSchema });
export type PlanStep = z.infer<typeof PlanStepSchema>;

const planOf = (maxSteps: number) => z.strictObject({ steps: z.array(PlanStepSchema).min(1).max(maxSteps) });

/** The planner orders the steps of the task. */
export const plan = defineProgram({
  name: "plan",
  input: z.strictObject({
    maxSteps: z.int().positive(),
    maxCalls: z.int().positive(),
    windowTurns: z.int().positive(),
    tests: z.array(WrittenTestSchema),
  }),
  output: z.strictObject({ steps: z.array(PlanStepSchema) }),
  async attempt(context, { maxSteps, maxCalls, windowTurns, tests }) {
    const prompt = [
      material("task", context.task.prompt),
      await fileList(context.files),
      await testTexts(context, tests),
      `Plan this task, in 1 to ${maxSteps} steps.`,
    ].join("\n\n");
    const answer = await askFor(context.role("planner"), planOf(maxSteps), prompt, {
      maxCalls,
      windowTurns,
      about: context.task.prompt,
      cacheable: context.attempt === 0,
    });
    return answer.ok ? context.done(answer.output) : context.fail(answer.fault);
  },
});
