import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { didYouMean, InvalidInputError, type Sandbox, type Task } from "@swarm/core";
import { builtInRunners, type CandidateSource, commandRunner, type RunnerAdapter } from "@swarm/oracle";
import { loadTask } from "@swarm/tasks";
import type { OptionsOf } from "../flags.ts";
import { oneOf } from "../one-of.ts";
import { usageError } from "../parse-command-line.ts";
import { reasonOf } from "../require-writable.ts";
import { repositoryTask } from "./repository-task.ts";

type Options = OptionsOf<"verify">;

/** What is judged, by which tests. */
export type Subject = { task: Task; candidate: CandidateSource; runners: readonly RunnerAdapter[] };

const FORMATS = ["junit", "tap", "ctrf"] as const;
/** What makes a task of a repository, so that it says nothing beside a task or a run. */
const OF_REPOSITORY = ["base", "runner", "command", "format", "tests-from"] as const;
const OF_CANDIDATE = ["directory", "patch", "commit"] as const;

/** Throws for flags that say nothing together, or too little. Touches nothing. */
export function checkFlags(options: Options): void {
  const given = (names: readonly (keyof Options)[]) => names.filter((name) => isGiven(options[name]));
  if (options.log !== undefined) {
    const others = given(["task", "repository", ...OF_REPOSITORY, "tests", "timeout", ...OF_CANDIDATE]);
    refuse(others, "--log", "a run's log has its own task and work");
    return;
  }
  if (options.task !== undefined)
    refuse(given([...OF_REPOSITORY, "tests"]), "--task", "a task has its own base and tests");
  else if (options.base === undefined) {
    throw usageError(
      "--task",
      "is missing: name a task, or a revision of a git repository with --base, or a run with --log",
    );
  } else if ((options.runner === undefined) === (options.command === undefined)) {
    throw usageError("--runner, --command", "give one of them: what runs the tests");
  } else if (options.command !== undefined && options.tests.length === 0) {
    throw usageError("--tests", "is missing: a command does not say which files are its tests");
  }
  if ((options.command === undefined) !== (options.format === undefined)) {
    throw usageError("--command, --format", `give both: a command, and its report's form (${FORMATS.join(", ")})`);
  }
  const candidates = given(OF_CANDIDATE);
  if (candidates.length !== 1) {
    throw usageError("--directory, --patch, --commit", `give one of them: the work to judge${listed(candidates)}`);
  }
}

/** Reads the task and the work that the flags name. Throws an {@link InvalidInputError} that names the flag. */
export async function subjectOf(options: Options, cwd: string, sandbox: Sandbox): Promise<Subject> {
  const repository = resolve(cwd, options.repository ?? ".");
  const runners = builtInRunners({ from: repository });
  if (options.command !== undefined) {
    const format = oneOf("--format", options.format ?? "", FORMATS);
    runners.push(commandRunner({ name: "command", argv: ["sh", "-c", options.command], format }));
  }
  const task = await taskOf(options, { cwd, repository, runners }, sandbox);
  const given = timeoutOf(options);
  const limited = given === null ? task : { ...task, oracle: { ...task.oracle, timeoutMs: given } };
  return { task: limited, runners, candidate: await candidateOf(options, task, { cwd, repository }) };
}

type Place = { cwd: string; repository: string };

async function taskOf(
  options: Options,
  { cwd, repository, runners }: Place & { runners: readonly RunnerAdapter[] },
  sandbox: Sandbox,
): Promise<Task> {
  const { task, base = "", tests } = options;
  if (task !== undefined) return (await loadTask(task.endsWith(".json") ? resolve(cwd, task) : task)).task;
  const name = options.command === undefined ? options.runner : "command";
  const runner = runners.find((one) => one.name === name);
  if (!runner) {
    const names = runners.map((one) => one.name);
    const near = didYouMean(name ?? "", names) || `; the runners are ${names.join(", ")}`;
    throw usageError("--runner", `${JSON.stringify(name)} is no test runner${near}`);
  }
  const testsFrom = options["tests-from"] ?? base;
  const revision = options["tests-from"] === undefined ? "--base" : "--tests-from";
  const flags = { "source.repository": "--repository", "source.revision": revision };
  return await renamed(() => repositoryTask({ repository, base, runner, tests, testsFrom }, sandbox), flags);
}

async function candidateOf(options: Options, { source }: Task, { cwd, repository }: Place): Promise<CandidateSource> {
  const { directory, patch, commit } = options;
  if (directory !== undefined) return { directory: resolve(cwd, directory) };
  if (commit !== undefined) {
    const own = "repository" in source && options.repository === undefined ? source.repository : repository;
    return { repository: own, revision: commit };
  }
  const path = resolve(cwd, patch ?? "");
  try {
    return { patch: await readFile(path) };
  } catch (error) {
    throw new InvalidInputError("--patch", `${path} cannot be read (${reasonOf(error)})`, { cause: error });
  }
}

function timeoutOf({ timeout }: Options): number | null {
  if (timeout === undefined) return null;
  const seconds = /^\d+(\.\d+)?$/.test(timeout) ? Number(timeout) : 0;
  if (seconds > 0) return seconds * 1000;
  throw usageError("--timeout", `has to be a number above 0, and is ${JSON.stringify(timeout)}`);
}

const OF_WORK: Readonly<Record<string, string>> = {
  "candidate.directory": "--directory",
  "candidate.repository": "--repository",
  "candidate.revision": "--commit",
  "candidate.patch": "--patch",
};

/** Does `read`; an error of a field that a flag set names the flag, by default one for the work. */
export async function renamed<T>(read: () => Promise<T>, flags = OF_WORK): Promise<T> {
  try {
    return await read();
  } catch (error) {
    const flag = error instanceof InvalidInputError ? flags[error.field] : undefined;
    if (!(error instanceof InvalidInputError) || flag === undefined) throw error;
    throw new InvalidInputError(flag, error.message.replace(`${error.field}: `, ""), {
      code: error.code,
      cause: error,
    });
  }
}

function isGiven(value: string | boolean | string[] | undefined): boolean {
  return Array.isArray(value) ? value.length > 0 : value !== undefined && value !== false;
}

function refuse(others: readonly string[], flag: string, why: string): void {
  if (others[0] !== undefined) throw usageError(`--${others[0]}`, `does not go with ${flag}: ${why}`);
}

function listed(names: readonly string[]): string {
  return names.length === 0 ? "" : `, and not ${names.map((name) => `--${name}`).join(" and ")} at once`;
}
