import { realpath, stat } from "node:fs/promises";
import { hasCode } from "./fs-error.ts";

/** The real path of a folder, or null when there is none at `path`. */
export async function folderAt(path: string): Promise<string | null> {
  try {
    return (await stat(path)).isDirectory() ? await realpath(path) : null;
  } catch (error) {
    if (hasCode(error, "ENOENT", "ENOTDIR")) return null;
    throw error;
  }
}
