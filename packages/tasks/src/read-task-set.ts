import { createReadStream } from "node:fs";
import { basename } from "node:path";
import {
  checkInput,
  type Files,
  FilesSchema,
  InvalidInputError,
  type JsonObject,
  JsonObjectSchema,
  linesOf,
  messageOf,
  type Schema,
  type Task,
} from "@swarm/core";
import { z } from "zod";
import { jsonProblem } from "./json-problem.ts";

/** A task of a set, with the work that solves it. */
export type SetTask = {
  /** Named as in the set. The task's own id is this one with dots for slashes. */
  id: string;
  task: Task;
  /** Files that, laid over the starter, pass the tests. */
  solution: Files;
  /** Whether the tests pass on the starter by design, as those of a refactoring exercise do. */
  starterPasses: boolean;
  language: string;
  licence: string;
  /** Where the task comes from, and whatever else the set tells of it. */
  meta: JsonObject;
};

/** A line of a set. Fields that are not named here are let pass. */
type Row = {
  id: string;
  prompt: string;
  starterFiles: Files;
  testFiles: Files;
  solutionFiles: Files;
  runner: string;
  language: string;
  licence: string;
  meta: JsonObject;
};

const text = z.string().min(1);
const RowSchema: Schema<Row> = z.object({
  id: text,
  prompt: text,
  starterFiles: FilesSchema,
  testFiles: FilesSchema,
  solutionFiles: FilesSchema,
  runner: text,
  language: text,
  licence: text,
  meta: JsonObjectSchema,
});
const HintsSchema = z.object({
  timeoutSeconds: z.number().positive().optional(),
  starterPasses: z.boolean().optional(),
});

/**
 * The tasks of a set, one by one: a file of JSON lines, each with `id`, `prompt`, `starterFiles`, `testFiles`,
 * `solutionFiles`, `runner`, `language`, `licence` and `meta`, in which `timeoutSeconds` and `starterPasses` have a meaning.
 * Only reads. Throws an {@link InvalidInputError} that names the field, the file and the line, once it comes there.
 */
export async function* readTaskSet(path: string): AsyncGenerator<SetTask> {
  let number = 0;
  try {
    for await (const line of linesOf(createReadStream(path))) {
      number += 1;
      if (line.text.trim() !== "") yield setTaskOf(line.text, `${basename(path)}, line ${number}`);
    }
  } catch (cause) {
    if (cause instanceof InvalidInputError) throw cause;
    throw new InvalidInputError("task set", `${path} cannot be read: ${messageOf(cause)}`, { cause });
  }
}

function setTaskOf(line: string, place: string): SetTask {
  const where = ` (in ${place})`;
  let json: unknown;
  try {
    json = JSON.parse(line);
  } catch (cause) {
    throw new InvalidInputError("task set", `${place} is not JSON, ${jsonProblem(line)}`, { cause });
  }
  const { id, language, licence, meta, ...row } = checkInput(RowSchema, json, { root: "task set", where });
  const { timeoutSeconds, starterPasses = false } = checkInput(HintsSchema, meta, {
    root: "meta",
    prefix: "meta",
    where,
  });
  const limited = timeoutSeconds === undefined ? {} : { timeoutMs: timeoutSeconds * 1000 };
  const task: Task = {
    id: id.replaceAll("/", "."),
    prompt: row.prompt,
    source: { files: row.starterFiles },
    testFiles: row.testFiles,
    oracle: { runner: row.runner, ...limited },
    licence,
  };
  return { id, task, solution: row.solutionFiles, starterPasses, language, licence, meta };
}
