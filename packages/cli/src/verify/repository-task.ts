import { basename } from "node:path";
import { type Files, InvalidInputError, type Sandbox, type Task } from "@swarm/core";
import type { RunnerAdapter } from "@swarm/oracle";

export type RepositoryTask = {
  /** Root of a git repository. */
  repository: string;
  /** What the work began from. */
  base: string;
  runner: RunnerAdapter;
  /** Files and folders of the tests; none for all files that the runner's naming convention says are tests. */
  tests: readonly string[];
  /** The revision that the tests are taken from. */
  testsFrom: string;
};

/** A task from a repository: its files at `base`, and the tests as they are in `testsFrom`. */
export async function repositoryTask(
  { repository, base, runner, tests, testsFrom }: RepositoryTask,
  { snapshots }: Sandbox,
): Promise<Task> {
  const revision = await snapshots.put({ repository, revision: testsFrom });
  const all = Object.entries(await snapshots.files(revision));
  const named = tests.map((path) => path.replace(/^\.\//, "").replace(/\/+$/, ""));
  for (const path of named) {
    if (all.some(([file]) => isIn(file, path))) continue;
    throw new InvalidInputError("--tests", `there is no ${path} in revision ${testsFrom} of ${repository}`);
  }
  const isTest = (file: string) =>
    named.length > 0 ? named.some((path) => isIn(file, path)) : runner.isTestFile(file);
  const testFiles: Files = Object.fromEntries(all.filter(([file]) => isTest(file)));
  if (Object.keys(testFiles).length === 0) {
    const problem = `no file of revision ${testsFrom} is named as ${runner.name} names test files`;
    throw new InvalidInputError("--tests", `${problem}; name the files or folders of the tests`);
  }
  const entries = Object.keys(testFiles).filter((file) => runner.isTestFile(file));
  return {
    id: basename(repository).replaceAll(/[^A-Za-z0-9._-]|^[^A-Za-z0-9]+/g, "") || "repository",
    prompt: `Work on ${basename(repository)} from ${base} on.`,
    source: { repository, revision: base },
    testFiles,
    oracle: {
      runner: runner.name,
      entries: entries.length > 0 ? entries : Object.keys(testFiles),
    },
  };
}

function isIn(file: string, path: string): boolean {
  return path === "." || file === path || file.startsWith(`${path}/`);
}
