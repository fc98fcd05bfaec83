import { readdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { didYouMean, InvalidInputError } from "@swarm/core";
import {
  type DemoEntry,
  demosOf,
  entryOf,
  type LoadedTask,
  parseTaskFile,
  readTaskFile,
  type TaskEntry,
} from "./read-task-file.ts";
import type { TaskFile } from "./task-file.ts";

/** Beside the folder of this module, whether that is `src` or `dist`. */
const TASKS = fileURLToPath(new URL("../tasks/", import.meta.url));
const DEMOS = fileURLToPath(new URL("../demos/", import.meta.url));
const REQUESTS = fileURLToPath(new URL("../requests/", import.meta.url));

/** The built-in tasks, the easiest first. */
export async function builtinTasks(): Promise<TaskEntry[]> {
  const entries = (await filesOf(TASKS)).map(entryOf);
  return entries.sort((a, b) => (a.difficulty ?? 0) - (b.difficulty ?? 0) || (a.id < b.id ? -1 : 1));
}

/**
 * The demos: requirements in plain words, each with a check of its own that no team sees, and once more for each other story
 * that its scripted model can play, by ids such as `demo-tree` and `demo-tree.never`.
 */
export async function builtinDemos(): Promise<DemoEntry[]> {
  return (await filesOf(DEMOS)).flatMap(demosOf);
}

/** The plain requests that have a script, in their words. */
export async function builtinRequests(): Promise<string[]> {
  return (await filesOf(REQUESTS)).map(({ prompt }) => prompt);
}

/** The plain request that a text makes, whatever its capitals and its last stop. Null for one without a script. */
export async function loadRequest(text: string): Promise<LoadedTask | null> {
  const file = (await filesOf(REQUESTS)).find(({ prompt }) => wordsOf(prompt) === wordsOf(text));
  return file ? await readTaskFile(fileIn(REQUESTS, file.id)) : null;
}

function wordsOf(text: string): string {
  return text.trim().toLowerCase().replace(/\.$/, "").replace(/\s+/g, " ");
}

/**
 * Loads a built-in task, a demo or a plain request by its id, or a task file by its path, which ends with `.json`. Only reads. Throws an
 * {@link InvalidInputError} that names the field and the file: no such task, not JSON, a field that is wrong, a path that
 * leaves the workspace, a file that is named and not there.
 */
export async function loadTask(idOrPath: string): Promise<LoadedTask> {
  if (idOrPath.endsWith(".json")) return readTaskFile(resolve(idOrPath));
  const tasks = await idsIn(TASKS);
  if (tasks.includes(idOrPath)) return readTaskFile(fileIn(TASKS, idOrPath));
  if ((await idsIn(REQUESTS)).includes(idOrPath)) return readTaskFile(fileIn(REQUESTS, idOrPath));
  const demos = await builtinDemos();
  const demo = demos.find(({ id }) => id === idOrPath);
  if (demo) return await loadDemo(demo);
  const near = nearTask(idOrPath, [...tasks, ...demos.map(({ id }) => id)]);
  const problem = `there is no built-in task ${JSON.stringify(idOrPath)}${near}`;
  throw new InvalidInputError("task", `${problem}; the path of a task file ends with .json`);
}

/** For who named a task that is not there: the one that was meant, else a few, and how to see all. */
export function nearTask(name: string, ids: readonly string[]): string {
  const near = didYouMean(name, ids) || `, but ${ids.slice(0, FEW).join(", ")} and ${ids.length - FEW} more`;
  return `${near} (\`swarm tasks\` lists all)`;
}

const FEW = 3;

async function loadDemo({ id, of, story }: DemoEntry): Promise<LoadedTask> {
  const loaded = await readTaskFile(fileIn(DEMOS, of));
  if (loaded.mock === null || story === null) return loaded;
  return { ...loaded, id, task: { ...loaded.task, id }, mock: { ...loaded.mock, story } };
}

async function filesOf(folder: string): Promise<TaskFile[]> {
  return await Promise.all((await idsIn(folder)).map((id) => parseTaskFile(fileIn(folder, id))));
}

async function idsIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  return entries.flatMap((entry) => (entry.isDirectory() ? [entry.name] : [])).sort();
}

function fileIn(folder: string, id: string): string {
  return join(folder, id, "task.json");
}
