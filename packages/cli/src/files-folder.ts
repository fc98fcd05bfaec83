import { chmod, readdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type Files, InvalidInputError, makeFolder, PathError, workspacePathProblem } from "@swarm/core";
import { reasonOf, requireWritable } from "./require-writable.ts";

/** Throws an {@link InvalidInputError} unless files can be written to `directory` without touching any that are there. */
export async function requireEmpty(flag: string, directory: string): Promise<void> {
  const names = await readdir(directory).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return [];
    const problem = error.code === "ENOTDIR" ? "is no folder" : `cannot be read (${reasonOf(error)})`;
    throw new InvalidInputError(flag, `${directory} ${problem}; name an empty or a new one`);
  });
  if (names.length > 0) throw new InvalidInputError(flag, `${directory} has content; name an empty or a new folder`);
  requireWritable(flag, directory);
}

/** Writes files into a folder that {@link requireEmpty} accepted, and over none. */
export async function writeFiles(directory: string, files: Files): Promise<void> {
  makeFolder(directory);
  for (const [path, content] of Object.entries(files)) {
    const problem = workspacePathProblem(path);
    if (problem) throw new PathError(path, problem);
    const target = join(directory, path);
    makeFolder(dirname(target));
    const data = typeof content === "string" ? content : Buffer.from(content.base64, "base64");
    await writeFile(target, data, { flag: "wx" });
    if (typeof content === "object" && content.executable) await chmod(target, 0o755);
  }
}
