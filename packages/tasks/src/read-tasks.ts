import { readdir, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { InvalidInputError, matchesGlob } from "@swarm/core";
import { builtinDemos, builtinTasks, loadTask, nearTask } from "./load-task.ts";
import { type LoadedTask, readTaskFile } from "./read-task-file.ts";
import { readTaskSet, type SetTask } from "./read-task-set.ts";
import { solutionMock } from "./solution-mock.ts";

/**
 * The tasks that a name stands for, one by one: `all` the built-in ones, those and the demos whose id fits a glob, a set (`.jsonl`), a task
 * file (`.json`), or a folder with such files or with folders that hold a `task.json`. Relative paths are meant from `from`,
 * by default the current folder. Only reads. Throws an {@link InvalidInputError} that names the task and what is wrong, once
 * it comes there.
 */
export async function* readTasks(name: string, from = process.cwd()): AsyncGenerator<LoadedTask> {
  const path = resolve(from, name);
  if (name.endsWith(".jsonl")) {
    for await (const row of readTaskSet(path)) yield loadedRow(row);
  } else if (name.endsWith(".json")) {
    yield await readTaskFile(path);
  } else {
    const tasks = (await builtinTasks()).map(({ id }) => id);
    const ids = [...tasks, ...(await builtinDemos()).map(({ id }) => id)];
    const fitting = name === "all" ? tasks : ids.filter((id) => matchesGlob(id, name));
    for (const id of fitting) yield await loadTask(id);
    if (fitting.length === 0) for (const file of await filesIn(path, name, ids)) yield await readTaskFile(file);
  }
}

function loadedRow(row: SetTask): LoadedTask {
  const { id, language, task } = row;
  return { id: task.id, title: id, difficulty: null, failureMode: null, language, task, mock: solutionMock(row) };
}

async function filesIn(folder: string, name: string, ids: readonly string[]): Promise<string[]> {
  const refuse = (problem: string) =>
    new InvalidInputError("tasks", `${problem}; name another one, a built-in task or all`);
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => {
    throw refuse(`${JSON.stringify(name)} is neither a built-in task nor a folder${nearTask(name, ids)}`);
  });
  const paths = entries.map((entry) => join(folder, entry.name, entry.isDirectory() ? "task.json" : ""));
  const files = await Promise.all(paths.map(async (path) => (await isTaskFile(path)) && path));
  const found = files.filter((path) => path !== false).sort();
  if (found.length === 0) throw refuse(`${folder} has no task file`);
  return found;
}

async function isTaskFile(path: string): Promise<boolean> {
  return (
    path.endsWith(".json") &&
    (await stat(path).then(
      (found) => found.isFile(),
      () => false,
    ))
  );
}
