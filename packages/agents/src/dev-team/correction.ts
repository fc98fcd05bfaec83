import type { Schema } from "@swarm/core";
import { z } from "zod";
import { WordsSchema } from "../material.ts";
import { codeProblem, type QaSuite } from "./qa-suite.ts";

/** A test that QA wrote wrong: its name, which stays, its code as it has to be, and what in the criteria says so. */
export type Correction = { test: string; reason: string; code: string };
/** What QA finds when it looks at its failing tests again. `setup` is null where that is right. */
export type Audit = { corrections: Correction[]; setup: { code: string; reason: string } | null; notes: string };

export const AuditSchema: Schema<Audit> = z.strictObject({
  corrections: z.array(z.strictObject({ test: z.string(), reason: WordsSchema, code: WordsSchema })),
  setup: z.strictObject({ code: z.string(), reason: WordsSchema }).nullable(),
  notes: z.string(),
});

/** The same for a suite of which the tests `failing` failed: no other may be replaced, and each keeps its name. */
export function auditOf({ runner }: QaSuite, failing: readonly string[]): Schema<Audit> {
  return AuditSchema.superRefine(({ corrections }, context) => {
    corrections.forEach(({ test, code }, index) => {
      const problem = failing.includes(test)
        ? codeProblem(runner, test, code)
        : `${test} did not fail; only ${failing.join(", ")} may be replaced`;
      if (problem) context.addIssue({ code: "custom", path: ["corrections", index], message: problem });
    });
  });
}

/** The suite with its corrections. */
export function corrected(suite: QaSuite, { corrections, setup }: Audit): QaSuite {
  const codeOf = new Map(corrections.map(({ test, code }) => [test, code]));
  const tests = suite.tests.map((test) => ({ ...test, code: codeOf.get(test.name) ?? test.code }));
  return { ...suite, setup: setup?.code ?? suite.setup, tests };
}
