import type { Schema, Suite } from "@swarm/core";
import { z } from "zod";
import { WordsSchema, type WrittenTest } from "../material.ts";
import { suiteOf } from "../suite-draft.ts";

/** One test as QA writes it: its name, the ids of the criteria that it checks, and its code. */
export type QaTest = { name: string; criteria: string[]; code: string };
/** The tests of one task. Test by test, so that one can be put right while the others stay as they are. */
export type QaSuite = { runner: "pytest" | "node:test"; setup: string; tests: QaTest[]; notes: string };

const MOST_TESTS = 40;

const QaTestSchema: Schema<QaTest> = z.strictObject({
  name: WordsSchema,
  criteria: z.array(z.string()),
  code: WordsSchema,
});
export const QaSuiteSchema: Schema<QaSuite> = z
  .strictObject({
    runner: z.enum(["pytest", "node:test"]),
    setup: z.string(),
    tests: z.array(QaTestSchema).min(1).max(MOST_TESTS),
    notes: z.string(),
  })
  .superRefine((suite, context) => {
    suite.tests.forEach(({ name, code }, index) => {
      const problem =
        suite.tests.findIndex((test) => test.name === name) < index
          ? `two tests have the name ${name}`
          : codeProblem(suite.runner, name, code);
      if (problem) context.addIssue({ code: "custom", path: ["tests", index, "code"], message: problem });
    });
  });

/** The same, where the criteria of the task are known: each has a test, and no test has another. */
export function qaSuiteFor(criteria: readonly string[]): Schema<QaSuite> {
  return QaSuiteSchema.superRefine(({ tests }, context) => {
    const checked = tests.flatMap((test) => test.criteria);
    const strange = checked.filter((id) => !criteria.includes(id));
    const left = criteria.filter((id) => !checked.includes(id));
    const problems = [
      ...strange.map((id) => `${id} is no criterion of this task`),
      ...left.map((id) => `no test checks ${id}`),
    ];
    if (problems.length > 0) context.addIssue({ code: "custom", path: ["tests"], message: problems.join("; ") });
  });
}

/** Why `code` is not the one test `name`, or null. */
export function codeProblem(runner: QaSuite["runner"], name: string, code: string): string | null {
  if (runner === "pytest") {
    if (!/^test_\w+$/.test(name)) return `${JSON.stringify(name)} is no name of a pytest function; begin it with test_`;
    const functions = [...code.matchAll(/^(?:async )?def (test_\w*)/gm)].map(([, found]) => found);
    return functions.length === 1 && functions[0] === name ? null : `the code has to be the one function ${name}`;
  }
  const calls = [...code.matchAll(/^(?:await )?(?:test|it)\(\s*("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')/gm)];
  const found = calls[0]?.[1]?.slice(1, -1).replaceAll(/\\(.)/g, "$1");
  return calls.length === 1 && found === name
    ? null
    : `the code has to be the one call test(${JSON.stringify(name)}, …)`;
}

/** The file that the suite of a task becomes. No two tasks share one, and none is what a coder calls its own tests. */
export function testFileOf(taskId: string, { runner, setup, tests }: QaSuite): WrittenTest {
  const name = `qa_${taskId.toLowerCase()}`;
  const path = runner === "pytest" ? `tests/test_${name}.py` : `tests/${name}.test.mjs`;
  const parts = [setup, ...tests.map(({ code }) => code)].map((part) => part.trim());
  return { path, content: `${parts.filter((part) => part !== "").join("\n\n\n")}\n` };
}

/** The suite of a task, for the oracle. */
export function suiteOfTask(taskId: string, suite: QaSuite): Suite {
  return suiteOf({ runner: suite.runner, files: [testFileOf(taskId, suite)] }, "qa", taskId);
}

/** What a report is held against: the tests of a suite, and how their ids in a report begin. */
export type QaManifest = { id: string; tests: { id: string; criteria: string[] }[] };
export const QaManifestSchema: Schema<QaManifest> = z.strictObject({
  id: z.string(),
  tests: z.array(z.strictObject({ id: z.string(), criteria: z.array(z.string()) })).min(1),
});

export function manifestOf(taskId: string, suite: QaSuite): QaManifest {
  const { path } = testFileOf(taskId, suite);
  const between = suite.runner === "pytest" ? "::" : " > ";
  return { id: taskId, tests: suite.tests.map(({ name, criteria }) => ({ id: path + between + name, criteria })) };
}
