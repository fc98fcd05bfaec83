import { readdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { didYouMean, InvalidInputError } from "@swarm/core";
import { entryOf, type LoadedTask, parseTaskFile, readTaskFile, type TaskEntry } from "./read-task-file.ts";

/** Beside the folder of this module, whether that is `src` or `dist`. */
const FOLDER = fileURLToPath(new URL("../tasks/", import.meta.url));

/** The built-in tasks, the easiest first. */
export async function builtinTasks(): Promise<TaskEntry[]> {
  const entries = await Promise.all((await builtinIds()).map(async (id) => entryOf(await parseTaskFile(fileOf(id)))));
  return entries.sort((a, b) => (a.difficulty ?? 0) - (b.difficulty ?? 0) || (a.id < b.id ? -1 : 1));
}

/**
 * Loads a built-in task by its id, or a task file by its path, which ends with `.json`. Only reads. Throws an
 * {@link InvalidInputError} that names the field and the file: no such task, not JSON, a field that is wrong, a path that
 * leaves the workspace, a file that is named and not there.
 */
export async function loadTask(idOrPath: string): Promise<LoadedTask> {
  if (idOrPath.endsWith(".json")) return readTaskFile(resolve(idOrPath));
  const ids = await builtinIds();
  if (ids.includes(idOrPath)) return readTaskFile(fileOf(idOrPath));
  throw new InvalidInputError(
    "task",
    `there is no built-in task ${JSON.stringify(idOrPath)}${didYouMean(idOrPath, ids)} ` +
      `(known: ${ids.join(", ")}; the path of a task file ends with .json)`,
  );
}

async function builtinIds(): Promise<string[]> {
  const entries = await readdir(FOLDER, { withFileTypes: true });
  return entries.flatMap((entry) => (entry.isDirectory() ? [entry.name] : [])).sort();
}

function fileOf(id: string): string {
  return join(FOLDER, id, "task.json");
}
