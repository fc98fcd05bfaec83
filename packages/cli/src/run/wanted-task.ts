import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { taskOf } from "@swarm/core";
import { builtinRequests, type LoadedTask, loadRequest, loadTask } from "@swarm/tasks";
import type { OptionsOf } from "../flags.ts";
import { usageError } from "../parse-command-line.ts";

/**
 * What a log says of where its run's task came from: a built-in task's id, or the path of a task file; with `tasks` the task
 * of that id among those, as `--tasks` of a batch names them.
 */
export type Origin = { task: string; tasks?: string };
export type WantedTask = { loaded: LoadedTask; origin: Origin | null };

/** The task that `swarm run` was asked for, by `--task` or as its argument: there a text of several words is a requirement. */
export async function wantedTask(
  asked: string | null,
  { task, mock }: Pick<OptionsOf<"run">, "task" | "mock">,
  cwd: string,
): Promise<WantedTask> {
  if (asked !== null && task !== undefined)
    throw usageError("--task", `stands beside ${JSON.stringify(asked)}; give one`);
  const name = task ?? asked;
  if (name === null)
    throw usageError(
      "<task>",
      "is missing: name a built-in task (see swarm tasks) or a task file, or say what to build",
    );
  if (name.trim() === "") throw usageError("<task>", "is empty: name a task, or say what to build");
  const path = resolve(cwd, name);
  if (task === undefined && /\s/.test(name) && !(isTaskFile(name) && existsSync(path)))
    return mock ? await played(name) : inWords(name);
  const origin = { task: isTaskFile(name) ? path : name };
  return { loaded: await loadTask(origin.task), origin };
}

/** What is asked for in words, and has a script. */
async function played(requirement: string): Promise<WantedTask> {
  const loaded = await loadRequest(requirement);
  if (loaded) return { loaded, origin: { task: loaded.id } };
  const known = (await builtinRequests()).map((one) => JSON.stringify(one)).join(", ");
  throw usageError("--mock", `goes with tasks that have a script; of what is asked for in words only ${known}`);
}

function inWords(requirement: string): WantedTask {
  const task = taskOf(requirement);
  const unknown = { difficulty: null, failureMode: null, language: null, mock: null };
  return { loaded: { id: task.id, title: task.id, task, ...unknown }, origin: null };
}

function isTaskFile(name: string): boolean {
  return name.endsWith(".json");
}
