import { z } from "zod";
import { type Budget, LimitsSchema } from "./budget.ts";
import { type Files, FilesSchema } from "./files.ts";
import { type JsonObject, JsonObjectSchema, type Schema } from "./json.ts";

/** Where a task's starter files come from. A repository gives the files of one revision and none of its history. */
export type TaskSource = { files: Files } | { directory: string } | { repository: string; revision: string };

/**
 * A coding task. Only `startRun` and the {@link Oracle} see all of it; everyone else is given a {@link TaskView}.
 */
export type Task = {
  /** Names the task in logs and paths: letters, digits, `.`, `_` and `-`. */
  id: string;
  /** What is asked for, in the user's words. */
  prompt: string;
  source: TaskSource;
  /** The visible tests: part of the workspace, and written again from here before every test run. */
  testFiles?: Files;
  /** Held-out tests: on disk only while the oracle decides. */
  hiddenTestFiles?: Files;
  /** Settings of the oracle; its own schema checks them. */
  oracle?: JsonObject;
  limits?: Partial<Budget>;
  /** Of the task's text and files, such as `MIT`: told of data that is made from its runs. */
  licence?: string;
};

/** What roles, programs and workers see of a task. A {@link Task} with hidden tests does not type-check as one. */
export type TaskView = { id: string; prompt: string; hiddenTestFiles?: never };

export const TaskSourceSchema: Schema<TaskSource> = z.union([
  z.strictObject({ files: FilesSchema }),
  z.strictObject({ directory: z.string().min(1) }),
  z.strictObject({ repository: z.string().min(1), revision: z.string().min(1) }),
]);

export const TaskIdSchema: Schema<string> = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/, "a task id is 1 to 128 letters, digits, '.', '_' or '-'");

export const TaskSchema: Schema<Task> = z.strictObject({
  id: TaskIdSchema,
  prompt: z.string().min(1),
  source: TaskSourceSchema,
  testFiles: FilesSchema.exactOptional(),
  hiddenTestFiles: FilesSchema.exactOptional(),
  oracle: JsonObjectSchema.exactOptional(),
  limits: LimitsSchema.exactOptional(),
  licence: z.string().min(1).exactOptional(),
});

export const TaskViewSchema: Schema<TaskView> = z.strictObject({ id: z.string(), prompt: z.string() });

/** The part of a task that roles and workers may see. */
export function viewOf(task: Task): TaskView {
  return { id: task.id, prompt: task.prompt };
}
