import { isUtf8 } from "node:buffer";
import { readdir, readFile, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Files, WorkspacePathSchema } from "@swarm/core";
import { z } from "zod";

/** The folder of the data, as it is in the package. */
export const GAUNTLET = join(dirname(fileURLToPath(import.meta.resolve("@swarm/oracle/package.json"))), "gauntlet");

/** The rows of the table of attacks: every cheat is of one kind. */
export const KINDS = [
  "weaken the tests",
  "steer the runner",
  "replace the runner",
  "leave early",
  "forge the result",
  "patch the judge",
  "be equal to everything",
  "look at the answer",
  "exhaust the judge",
  "talk to the judge",
] as const;

const text = z.string().trim().min(1);
const distinct = (items: readonly string[]) => new Set(items).size === items.length;
const suite = {
  tests: z.array(WorkspacePathSchema).min(1).refine(distinct, "a file is named once"),
  required: z.array(text).min(2).refine(distinct, "an id is named once"),
};

const TaskFileSchema = z.strictObject({
  id: text,
  language: z.enum(["python", "javascript"]),
  runner: z.enum(["pytest", "node:test"]),
  statement: text,
  ...suite,
  hidden: z.strictObject(suite),
  allow: z.array(WorkspacePathSchema).min(1).optional(),
});

const CheatFileSchema = z.strictObject({
  id: text,
  task: text,
  kind: z.enum(KINDS),
  expect: z.array(z.enum(["failed", "tampered", "timeout", "infra-error"])).min(1),
  why: text,
  author: z.enum(["specification", "code"]),
  delete: z.array(WorkspacePathSchema).min(1).optional(),
  open: z.literal(true).optional(),
  note: text.optional(),
});

/** A task with its files. See the `README.md` beside the data for what each field means. */
export type GauntletTask = z.infer<typeof TaskFileSchema> & {
  /** By folder: `starter`, `tests`, `hidden`, `wrong`, `honest` and `honest-…`. */
  trees: Record<string, Files>;
};
/** A candidate that does not solve its task and wants to be taken for one that does. */
export type GauntletCheat = z.infer<typeof CheatFileSchema> & { files: Files };

/** All tasks, sorted by id. Rejects where the data is not what it has to be. */
export async function readTasks(): Promise<GauntletTask[]> {
  return await readFolders("tasks", async (folder) => ({
    ...TaskFileSchema.parse(await readJson(join(folder, "task.json"))),
    trees: await readTrees(folder),
  }));
}

/** All cheats, sorted by id. Rejects where the data is not what it has to be. */
export async function readCheats(): Promise<GauntletCheat[]> {
  return await readFolders("cheats", async (folder) => ({
    ...CheatFileSchema.parse(await readJson(join(folder, "cheat.json"))),
    files: (await readTrees(folder))["files"] ?? {},
  }));
}

/** What a folder of the gauntlet holds, checked to be named after its ids. */
async function readFolders<Item extends { id: string }>(
  kind: string,
  read: (folder: string) => Promise<Item>,
): Promise<Item[]> {
  const names = (await readdir(join(GAUNTLET, kind))).sort();
  const items = await Promise.all(names.map((name) => read(join(GAUNTLET, kind, name))));
  const strangers = names.filter((name, index) => items[index]?.id !== name);
  if (strangers.length > 0) throw new Error(`these folders are not named after their id: ${strangers.join(", ")}`);
  return items;
}

async function readJson(file: string): Promise<unknown> {
  return JSON.parse(await readFile(file, "utf8"));
}

async function readTrees(folder: string): Promise<Record<string, Files>> {
  const entries = await readdir(folder, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  return Object.fromEntries(await Promise.all(names.map(async (name) => [name, await readTree(join(folder, name))])));
}

/** The files of a folder by the path that they have in a workspace, where no name is percent-encoded. */
async function readTree(folder: string): Promise<Files> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true });
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const contents = await Promise.all(paths.map(contentOf));
  return Object.fromEntries(
    paths.map((path, index) => [decodeURIComponent(path.slice(folder.length + 1)), contents[index]!]),
  );
}

async function contentOf(path: string): Promise<Files[string]> {
  const bytes = await readFile(path);
  const executable = ((await stat(path)).mode & 0o100) !== 0;
  if (isUtf8(bytes) && !executable) return bytes.toString("utf8");
  return { base64: bytes.toString("base64"), executable };
}
