import { InvalidInputError } from "@swarm/core";
import type { MockDelivery } from "../read-task-file.ts";
import type { MockPart } from "../task-file.ts";

/** A part with the id of its criterion. */
export type Part = MockPart & { criterion: string; criterionId: string };

/**
 * The suite of some parts as QA answers with one: the tests of the delivery, each by itself. Where the task brings its tests, QA takes
 * those over by importing them. Throws an {@link InvalidInputError} where there is nothing of either that QA could run.
 */
export function qaSuite({ suite, given }: MockDelivery, parts: readonly Part[], notes: string) {
  if (suite) {
    const files = parts.flatMap(({ tests, criterionId }) =>
      tests.map((path) => split(suite.files[path] ?? "", criterionId)),
    );
    const setup = files.map((file) => file.setup).join("\n\n");
    return { runner: suite.runner, setup, tests: files.flatMap(({ tests }) => tests), notes };
  }
  const takenOver = given && TAKEN_OVER[given.runner];
  if (!takenOver) throw new InvalidInputError("mock", "has no suite that QA could run, and the task brings none");
  return {
    runner: given.runner,
    ...takenOver(
      given.paths,
      parts.map(({ criterionId }) => criterionId),
    ),
    notes,
  };
}

/** A test file of pytest as what all its tests need, and its tests. */
function split(text: string, criterionId: string) {
  const [setup = "", ...tests] = text.split(/^(?=def test_)/m);
  return {
    setup: setup.trim(),
    tests: tests.map((code) => ({
      name: code.match(/test_\w+/)?.[0] ?? "",
      criteria: [criterionId],
      code: code.trim(),
    })),
  };
}

type TakeOver = (
  paths: readonly string[],
  criteria: string[],
) => {
  setup: string;
  tests: { name: string; criteria: string[]; code: string }[];
};

const TAKEN_OVER: Record<string, TakeOver> = {
  pytest(paths, criteria) {
    const modules = paths.map(nameOf).filter((name) => name.startsWith("test_"));
    const name = "test_takes_over_the_tests_of_the_task";
    const code = `def ${name}():\n    assert __name__ != ""`;
    return { setup: modules.map((module) => `from ${module} import *`).join("\n"), tests: [{ name, criteria, code }] };
  },
  "node:test"(paths, criteria) {
    const files = paths
      .filter((path) => path.endsWith(".test.mjs"))
      .map((path) => `import "./${path.split("/").at(-1)}";`);
    const name = "takes over the tests of the task";
    return {
      setup: ['import { test } from "node:test";', ...files].join("\n"),
      tests: [{ name, criteria, code: `test("${name}", () => {});` }],
    };
  },
};

function nameOf(path: string): string {
  return path.split("/").at(-1)?.replace(/\.py$/, "") ?? "";
}
