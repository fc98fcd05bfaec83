import { chmod, mkdir, readdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type Files, InvalidInputError, PathError, workspacePathProblem } from "@swarm/core";

/** Throws an {@link InvalidInputError} unless files can be written to `directory` without touching any that are there. */
export async function requireEmpty(flag: string, directory: string): Promise<void> {
  try {
    if ((await readdir(directory)).length === 0) return;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return;
    if (code === "ENOTDIR") throw new InvalidInputError(flag, `${directory} is no folder; name an empty or a new one`);
    throw error;
  }
  throw new InvalidInputError(flag, `${directory} has content; name an empty or a new folder`);
}

/** Writes files into a folder that {@link requireEmpty} accepted, and over none. */
export async function writeFiles(directory: string, files: Files): Promise<void> {
  await mkdir(directory, { recursive: true });
  for (const [path, content] of Object.entries(files)) {
    const problem = workspacePathProblem(path);
    if (problem) throw new PathError(path, problem);
    const target = join(directory, path);
    await mkdir(dirname(target), { recursive: true });
    const data = typeof content === "string" ? content : Buffer.from(content.base64, "base64");
    await writeFile(target, data, { flag: "wx" });
    if (typeof content === "object" && content.executable) await chmod(target, 0o755);
  }
}
