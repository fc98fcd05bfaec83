import { defineProgram } from "@swarm/core";
import { z } from "zod";
import { fileList, material, testTexts, WordsSchema } from "../material.ts";
import { askFor } from "../structured.ts";
import { SuiteDraftSchema } from "../suite-draft.ts";

const SpecificationSchema = z.strictObject({ specification: WordsSchema });
const WithSuiteSchema = z.strictObject({ specification: WordsSchema, suite: SuiteDraftSchema });
const DesignSchema = z.strictObject({ specification: WordsSchema, suite: SuiteDraftSchema.nullable() });
export type Design = z.infer<typeof DesignSchema>;

const FORM = '{"specification":"What to build, precisely."}';
const FORM_WITH_SUITE =
  '{"specification":"What to build, precisely.","suite":{"runner":"pytest","files":[{"path":"tests/test_thing.py","content":"the whole file"}]}}';

/** The architect writes the specification and, where the task brings no tests, the suite; once more when that was not admitted. */
export const design = defineProgram({
  name: "design",
  input: z.strictObject({
    maxCalls: z.int().positive(),
    windowTurns: z.int().positive(),
    refused: z.strictObject({ design: WithSuiteSchema, reason: z.string() }).nullable(),
  }),
  output: DesignSchema,
  async attempt(context, { maxCalls, windowTurns, refused }) {
    const given = context.suites.length > 0;
    const prompt = [
      material("task", context.task.prompt),
      await fileList(context.files),
      ...(given ? [await testTexts(context, [])] : []),
      ...(refused ? [material("refused", JSON.stringify(refused.design)), material("reason", refused.reason)] : []),
      refused
        ? "Your tests were not accepted, for the reason above. Write the specification and the whole suite again, mended."
        : given
          ? "The task brings its tests. Write the specification."
          : "Write the specification and the tests.",
      `Answer in the form ${given ? FORM : FORM_WITH_SUITE}`,
    ].join("\n\n");
    const about = context.task.prompt;
    const options = { maxCalls, windowTurns, about, cacheable: context.attempt === 0 };
    const architect = context.role("architect");
    if (!given) {
      const answer = await askFor(architect, WithSuiteSchema, prompt, options);
      return answer.ok ? context.done(answer.output) : context.fail(answer.fault);
    }
    const answer = await askFor(architect, SpecificationSchema, prompt, options);
    return answer.ok ? context.done({ ...answer.output, suite: null }) : context.fail(answer.fault);
  },
});
