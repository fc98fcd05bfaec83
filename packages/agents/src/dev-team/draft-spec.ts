import { defineProgram, faultOf } from "@swarm/core";
import { z } from "zod";
import { fileList, material, testTexts } from "../material.ts";
import { askFor } from "../structured.ts";
import { SpecSchema, specProblems } from "./spec.ts";

const FORM =
  '{"criteria":[{"id":"AC1","text":"What holds."}],"tasks":[{"id":"T1","title":"Short title","instructions":"What to build, precisely.","covers":["AC1"]}]}';

/** The PM turns the requirement into criteria and tasks. One that contradicts itself is none: its fault names where. */
export const draftSpec = defineProgram({
  name: "draft-spec",
  input: z.strictObject({ maxCalls: z.int().positive(), windowTurns: z.int().positive() }),
  output: SpecSchema,
  async attempt(context, { maxCalls, windowTurns }) {
    const prompt = [
      material("requirement", context.task.prompt),
      await fileList(context.files),
      await testTexts(context, []),
      `Write the specification, in the form ${FORM}`,
    ].join("\n\n");
    const answer = await askFor(context.role("pm"), SpecSchema, prompt, {
      maxCalls,
      windowTurns,
      about: context.task.prompt,
      cacheable: context.attempt === 0,
    });
    if (!answer.ok) return context.fail(answer.fault);
    const problems = specProblems(answer.output);
    if (problems.length === 0) return context.done(answer.output);
    return context.fail(faultOf({ code: "INVALID_SPEC", message: problems.join("; ") }));
  },
});
