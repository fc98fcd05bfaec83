import {
  type Budget,
  type Files,
  FilesSchema,
  type JsonObject,
  JsonObjectSchema,
  LimitsSchema,
  type Schema,
  TaskIdSchema,
  type TaskSource,
  TaskSourceSchema,
} from "@swarm/core";
import { z } from "zod";

/** In which way the first delivery of a task typically fails. */
export const FAILURE_MODES = [
  "wrong-value",
  "exception",
  "missing-symbol",
  "off-by-one",
  "infinite-loop",
  "shared-state",
  "race",
  "unicode",
  "floating-point",
  "performance",
] as const;
export type FailureMode = (typeof FAILURE_MODES)[number];

/** Ways in which a scripted model can play a task, beside the plain one in which a first delivery fails and the next one is right. */
export const STORIES = ["never", "regressed", "forged"] as const;
export type Story = (typeof STORIES)[number];

/** A folder or file, named relative to the task file, or the files themselves by workspace path. */
export type NamedFiles = string | Files;

/** A task file: core's `Task` with files that may be named instead of written out, and what a list of tasks shows. */
export type TaskFile = {
  id: string;
  prompt: string;
  title?: string;
  language?: string;
  /** From 1, easy, to 5. */
  difficulty?: number;
  failureMode?: FailureMode;
  /** What a run of the task shows, where it is a demo. */
  shows?: string;
  /** The other stories that its mock can play, each with what it shows. */
  stories?: Partial<Record<Story, string>>;
  /** The files that the work begins with, laid at the root of the workspace. Either this or `source`. */
  starter?: NamedFiles;
  /** As in core's `Task`; a relative `directory`, or `repository` that is a path, is meant from the task file. */
  source?: TaskSource;
  /** A folder's files are laid under `tests/`; written out, each has its whole workspace path. */
  testFiles?: NamedFiles;
  hiddenTestFiles?: NamedFiles;
  oracle?: JsonObject;
  limits?: Partial<Budget>;
  mock?: MockFile;
};

/** What a scripted model delivers for a task: first something plausible and wrong, then, after a hint, the right thing. */
export type MockFile = {
  plan: { title: string; instructions: string };
  wrong: { files: NamedFiles; says: string };
  hint: string;
  right: { files: NamedFiles; says: string };
  /**
   * The tests that a team writes, of a task that brings none that it sees; a folder's files are laid under `tests/`. With it, the
   * files of `wrong` are those that differ from `right`.
   */
  suite?: { runner: string; files: NamedFiles };
  /** How a team that splits the work does it: each part with its files of `right` and `suite`. Default: all is one part. */
  parts?: MockPart[];
};

/** A part of the work, which one criterion is about. */
export type MockPart = { title: string; criterion: string; files: string[]; tests: string[] };

const text = z.string().min(1);
const NamedFilesSchema: Schema<NamedFiles> = z.union([text, FilesSchema]);
const PartSchema = z.strictObject({ title: text, criterion: text, files: z.array(text), tests: z.array(text) });
const DeliverySchema = z.strictObject({ files: NamedFilesSchema, says: text });

const schema = z.strictObject({
  id: TaskIdSchema,
  prompt: text,
  title: text.exactOptional(),
  language: text.exactOptional(),
  difficulty: z.int().min(1).max(5).exactOptional(),
  failureMode: z.enum(FAILURE_MODES).exactOptional(),
  shows: text.exactOptional(),
  stories: z.partialRecord(z.enum(STORIES), text).exactOptional(),
  starter: NamedFilesSchema.exactOptional(),
  source: TaskSourceSchema.exactOptional(),
  testFiles: NamedFilesSchema.exactOptional(),
  hiddenTestFiles: NamedFilesSchema.exactOptional(),
  oracle: JsonObjectSchema.exactOptional(),
  limits: LimitsSchema.exactOptional(),
  mock: z
    .strictObject({
      plan: z.strictObject({ title: text, instructions: text }),
      wrong: DeliverySchema,
      hint: text,
      right: DeliverySchema,
      suite: z.strictObject({ runner: text, files: NamedFilesSchema }).exactOptional(),
      parts: z.array(PartSchema).min(1).exactOptional(),
    })
    .exactOptional(),
});

export const TaskFileSchema: Schema<TaskFile> = schema;
