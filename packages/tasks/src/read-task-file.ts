import { readFile, stat } from "node:fs/promises";
import { dirname, isAbsolute, resolve } from "node:path";
import { checkInput, type Files, InvalidInputError, messageOf, type Task, type TaskSource } from "@swarm/core";
import { jsonProblem } from "./json-problem.ts";
import { readFiles } from "./read-files.ts";
import {
  type FailureMode,
  type MockFile,
  type MockPart,
  type NamedFiles,
  type Story,
  type TaskFile,
  TaskFileSchema,
} from "./task-file.ts";

/** What a list of tasks shows. Built-in tasks have all of it. */
export type TaskEntry = {
  id: string;
  title: string;
  /** From 1, easy, to 5. */
  difficulty: number | null;
  /** In which way a first delivery typically fails. */
  failureMode: FailureMode | null;
  language: string | null;
};

/** What a list of demos shows: a demo, or another story of one. */
export type DemoEntry = Pick<TaskEntry, "id" | "title" | "language"> & {
  /** What a run of it shows. */
  shows: string;
  /** The demo that this is a story of; its own id of a plain one. */
  of: string;
  story: Story | null;
};

/** What a scripted model delivers: first something plausible and wrong, then, after a hint, the right thing. */
export type MockDelivery = {
  plan: { title: string; instructions: string };
  wrong: { files: Record<string, string>; says: string };
  hint: string;
  right: { files: Record<string, string>; says: string };
  /** The tests that the team writes where it sees none. */
  suite?: { runner: string; files: Record<string, string> };
  /** How a team that splits the work does it. Left out: all is one part. */
  parts?: MockPart[];
  /** The tests that the task brings and everyone sees. */
  given?: { runner: string; paths: string[] };
  /** How the model plays it. Left out: the right thing comes after the wrong one. */
  story?: Story;
};

export type LoadedTask = TaskEntry & { task: Task; mock: MockDelivery | null };

/** Parses and checks a task file; the files that it names are not read. Throws an {@link InvalidInputError}. */
export async function parseTaskFile(path: string): Promise<TaskFile> {
  let json: unknown;
  const text = await textOf(path);
  try {
    json = JSON.parse(text);
  } catch (cause) {
    throw new InvalidInputError("task file", `${path} is not JSON, ${jsonProblem(text)}`, { cause });
  }
  return checkInput(TaskFileSchema, json, { root: "task file", where: ` (in ${path})` });
}

/** The part of a task file that a list shows. */
export function entryOf(file: TaskFile): TaskEntry {
  const { id, title = id, difficulty = null, failureMode = null, language = null } = file;
  return { id, title, difficulty, failureMode, language };
}

/** What a scripted model knows of the tests that a task brings. */
export function givenTo({ testFiles, oracle }: Task): Pick<MockDelivery, "given"> {
  const runner = oracle?.["runner"];
  return testFiles && typeof runner === "string" ? { given: { runner, paths: Object.keys(testFiles) } } : {};
}

/** A demo and its stories, as a list shows them. */
export function demosOf(file: TaskFile): DemoEntry[] {
  const { id, title, language } = entryOf(file);
  const stories = Object.entries(file.stories ?? {}) as [Story, string][];
  return [
    { id, title, language, shows: file.shows ?? "", of: id, story: null },
    ...stories.map(([story, shows]) => ({ id: `${id}.${story}`, title, language, shows, of: id, story })),
  ];
}

/** Loads a task file with all files that it names. Throws an {@link InvalidInputError} that names field and file. */
export async function readTaskFile(path: string): Promise<LoadedTask> {
  const file = await parseTaskFile(path);
  const refuse = (field: string, message: string, cause?: unknown): never => {
    throw new InvalidInputError(field, `${message} (in ${path})`, { cause });
  };

  async function named(field: string, files: NamedFiles, under = ""): Promise<Files> {
    if (typeof files !== "string") return files;
    const from = resolve(dirname(path), files);
    try {
      const found = Object.entries(await readFiles(from));
      return Object.fromEntries(found.map(([name, content]) => [under + name, content]));
    } catch (cause) {
      return refuse(field, isMissing(cause) ? `there is no file or folder ${from}` : messageOf(cause), cause);
    }
  }

  async function texts(field: string, files: NamedFiles, under = ""): Promise<Record<string, string>> {
    const contents = Object.entries(await named(field, files, under));
    return Object.fromEntries(
      contents.map(([name, content]) => [
        name,
        typeof content === "string" ? content : refuse(field, `${name} is no text`),
      ]),
    );
  }

  async function source(): Promise<TaskSource> {
    if (file.starter !== undefined && file.source !== undefined) {
      return refuse("source", 'stands beside "starter"; give one of the two');
    }
    if (file.starter !== undefined) return { files: await named("starter", file.starter) };
    if (file.source === undefined) {
      return refuse("starter", 'is missing; give the folder or files that the work begins with, or a "source"');
    }
    if ("directory" in file.source) {
      const directory = resolve(dirname(path), file.source.directory);
      const found = await stat(directory).catch(() => null);
      return found?.isDirectory() ? { directory } : refuse("source.directory", `there is no folder ${directory}`);
    }
    if ("repository" in file.source && isPath(file.source.repository)) {
      const repository = resolve(dirname(path), file.source.repository);
      const found = await stat(repository).catch(() => null);
      return found ? { ...file.source, repository } : refuse("source.repository", `there is no ${repository}`);
    }
    return file.source;
  }

  const { id, prompt, testFiles, hiddenTestFiles, oracle, limits, mock } = file;
  const task: Task = { id, prompt, source: await source() };
  if (testFiles !== undefined) task.testFiles = await named("testFiles", testFiles, "tests/");
  if (hiddenTestFiles !== undefined) task.hiddenTestFiles = await named("hiddenTestFiles", hiddenTestFiles, "tests/");
  if (oracle !== undefined) task.oracle = oracle;
  if (limits !== undefined) task.limits = limits;
  return {
    ...entryOf(file),
    task,
    mock: mock ? await deliveryOf(mock) : null,
  };

  async function deliveryOf({ suite, ...mock }: MockFile): Promise<MockDelivery> {
    const wrong = await texts("mock.wrong.files", mock.wrong.files);
    const right = await texts("mock.right.files", mock.right.files);
    return {
      ...mock,
      wrong: { ...mock.wrong, files: suite ? { ...right, ...wrong } : wrong },
      right: { ...mock.right, files: right },
      ...(suite ? { suite: { ...suite, files: await texts("mock.suite.files", suite.files, "tests/") } } : {}),
      ...givenTo(task),
    };
  }
}

async function textOf(path: string): Promise<string> {
  let bytes: Uint8Array;
  try {
    bytes = await readFile(path);
  } catch (cause) {
    const message = isMissing(cause) ? `there is no ${path}` : `${path} cannot be read: ${messageOf(cause)}`;
    throw new InvalidInputError("task file", message, { cause });
  }
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new InvalidInputError("task file", `${path} is not UTF-8 text`, { cause });
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR");
}

/** Whether a repository is named by a path, not by a URL or in the form `user@host:path`. */
function isPath(repository: string): boolean {
  return isAbsolute(repository) || !/^[^/]*:/.test(repository);
}
