import { checkInput, type Files, InvalidInputError, type Schema, type Task } from "@swarm/core";
import { z } from "zod";
import type { RunnerAdapter } from "./runners/adapter.ts";
import { runnerOf } from "./runners/registry.ts";

/** What a task's `oracle` may hold. */
export type OracleSettings = {
  /** Name of the test runner. */
  runner: string;
  /** Which of `testFiles` are test files. Default: those that the runner's naming convention says. */
  entries?: string[];
  /** Ids of the tests that must pass. Default: those that one run on the starter finds. */
  tests?: string[];
  /** The same for `hiddenTestFiles`. */
  hiddenEntries?: string[];
  hiddenTests?: string[];
  /** Time for the tests of one suite in milliseconds. */
  timeoutMs?: number;
  /** Paths that a candidate may not change, beside those that always are: a file, or a folder that ends in `/`. */
  protect?: string[];
  /** Paths among those that are always protected that the work may change, such as `conftest.py`; written as in `protect`. */
  allow?: string[];
};

const names = z.array(z.string().min(1)).min(1);

export const OracleSettingsSchema: Schema<OracleSettings> = z.strictObject({
  runner: z.string().min(1),
  entries: names.exactOptional(),
  tests: names.exactOptional(),
  hiddenEntries: names.exactOptional(),
  hiddenTests: names.exactOptional(),
  timeoutMs: z.number().positive().exactOptional(),
  protect: names.exactOptional(),
  allow: names.exactOptional(),
});

/** The tests that a task brings, checked: what to run of each kind, and the ids that its author requires. */
export type TaskTests = { settings: OracleSettings; given: TestSelection | null; hidden: TestSelection | null };
export type TestSelection = { runner: string; files: Files; entries: string[]; tests: string[] | null };

/**
 * Reads what a task says about its tests; null for a task without any, whose tests are written during the run. Throws an
 * {@link InvalidInputError} that names the field.
 */
export function testsOf(task: Task, runners: readonly RunnerAdapter[]): TaskTests | null {
  const { testFiles, hiddenTestFiles, oracle } = task;
  if (!testFiles && !hiddenTestFiles) {
    if (oracle === undefined) return null;
    throw new InvalidInputError("oracle", "there is nothing to judge by: give testFiles, or leave the settings out");
  }
  if (oracle === undefined || oracle["runner"] === undefined) {
    throw new InvalidInputError(
      "oracle.runner",
      `name the test runner of the test files: ${runners.map(({ name }) => name).join(", ")}`,
    );
  }
  const adapter = runnerOf(runners, String(oracle["runner"]), "oracle.runner");
  const settings = checkInput(OracleSettingsSchema, oracle, { root: "oracle", prefix: "oracle" });
  return {
    settings,
    given: select(adapter, testFiles, settings, { files: "testFiles", entries: "entries", tests: "tests" }),
    hidden: select(adapter, hiddenTestFiles, settings, {
      files: "hiddenTestFiles",
      entries: "hiddenEntries",
      tests: "hiddenTests",
    }),
  };
}

type Fields = {
  files: "testFiles" | "hiddenTestFiles";
  entries: "entries" | "hiddenEntries";
  tests: "tests" | "hiddenTests";
};

function select(
  adapter: RunnerAdapter,
  files: Files | undefined,
  settings: OracleSettings,
  fields: Fields,
): TestSelection | null {
  const chosen = settings[fields.entries];
  const tests = settings[fields.tests];
  if (files === undefined) {
    for (const field of [fields.entries, fields.tests]) {
      if (settings[field]) throw new InvalidInputError(`oracle.${field}`, `the task has no ${fields.files}`);
    }
    return null;
  }
  chosen?.forEach((entry, index) => {
    if (Object.hasOwn(files, entry)) return;
    const known = Object.keys(files).join(", ");
    throw new InvalidInputError(
      `oracle.${fields.entries}[${index}]`,
      `${JSON.stringify(entry)} is not among ${fields.files}: ${known}`,
    );
  });
  const entries = chosen ?? entriesOf(adapter, files);
  if (entries.length === 0) {
    throw new InvalidInputError(
      fields.files,
      `no file is named as ${adapter.name} names test files; list the test files in oracle.${fields.entries}`,
    );
  }
  tests?.forEach((id, index) => {
    if (entries.some((entry) => adapter.isTestOf(entry, id))) return;
    throw new InvalidInputError(
      `oracle.${fields.tests}[${index}]`,
      `${JSON.stringify(id)} is not the id of a test in ${entries.join(", ")}`,
    );
  });
  return { runner: adapter.name, files, entries, tests: tests ?? null };
}

/** The files that a runner's naming convention says are test files, sorted. */
export function entriesOf(adapter: RunnerAdapter, files: Files): string[] {
  return Object.keys(files)
    .filter((path) => adapter.isTestFile(path))
    .sort();
}
