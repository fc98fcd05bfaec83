import { type AttemptContext, defineProgram, type Fault, headAndTail, type StepContext } from "@swarm/core";
import { z } from "zod";
import { runAgent } from "../agent-loop.ts";
import { fileList, material, testTexts, WrittenTestSchema } from "../material.ts";
import { stepFault } from "../step-fault.ts";
import { refusal } from "../structured.ts";
import { PlanStepSchema } from "./plan.ts";

const InputSchema = z.strictObject({
  step: PlanStepSchema,
  /** Which step of how many, from 1. */
  number: z.int().positive(),
  of: z.int().positive(),
  calls: z.strictObject({ coder: z.int().positive(), reviewer: z.int().positive() }),
  windowTurns: z.int().positive(),
  tests: z.array(WrittenTestSchema),
});
type Input = z.infer<typeof InputSchema>;

const MOST_TEXT = 4_000;

/** The coder works on one step of the plan, and the tests judge it. The reviewer advises the attempt after a failed one. */
export const implement = defineProgram({
  name: "implement",
  input: InputSchema,
  output: z.strictObject({ summary: z.string() }),

  async attempt(context, input) {
    const before = input.number < input.of ? await context.test() : null;
    const result = await runAgent(context.role("coder"), await coderPrompt(context, input), {
      maxCalls: input.calls.coder,
      windowTurns: input.windowTurns,
      about: [context.task.prompt, input.step.title, input.step.instructions].join("\n"),
    });
    if (result.end === "refused") return context.fail(refusal(result));
    const fault = stepFault(await context.test(), context.suites, before);
    return fault ? context.fail(fault) : context.done({ summary: headAndTail(result.text, MOST_TEXT) });
  },

  async diagnose(context, fault, { calls, windowTurns }) {
    const prompt = await reviewerPrompt(context, fault);
    const result = await runAgent(context.role("reviewer"), prompt, {
      maxCalls: calls.reviewer,
      windowTurns,
      mustAct: false,
    });
    const advice = result.end === "finished" ? result.text.trim() : "";
    // without advice the coder is at least told what failed
    return advice === "" ? fault.message : headAndTail(advice, MOST_TEXT);
  },
});

async function coderPrompt(context: AttemptContext<{ summary: string }>, input: Input): Promise<string> {
  const { step, number, of } = input;
  const which =
    of === 1
      ? "This is the plan's only step; all tests have to pass after it."
      : number === of
        ? `This is the last of ${of} steps; all tests have to pass after it.`
        : `This is step ${number} of ${of}; do this step only. Tests that pass now have to pass after it.`;
  return [
    material("task", context.task.prompt),
    await fileList(context.files),
    await testTexts(context, input.tests),
    material("step", step.instructions, step.title),
    ...hintOf(context),
    which,
  ].join("\n\n");
}

function hintOf(context: StepContext): string[] {
  if (context.hint === null) return [];
  const about =
    context.attempt === 0
      ? "Advice for this step:"
      : "An earlier attempt at this step failed its tests, and its changes were undone: the files are as they were before it. The reviewer's advice:";
  return [about, material("advice", context.hint)];
}

async function reviewerPrompt(context: StepContext, fault: Fault): Promise<string> {
  return [
    material("task", context.task.prompt),
    await fileList(context.files),
    material("failure", fault.message),
    ...(context.hint === null ? [] : [material("earlier-advice", context.hint)]),
    "The attempt failed as above. Advise the next one.",
  ].join("\n\n");
}
