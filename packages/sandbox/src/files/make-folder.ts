import { mkdir } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { folderAt } from "./folder-at.ts";
import { hasCode } from "./fs-error.ts";

/**
 * Makes a folder with those above it, or fails with the system's own error. Node's recursive `mkdir` tries for ever where a
 * file system has the parent but no folder can be made in it, as in `/proc`.
 */
export async function makeFolder(folder: string): Promise<void> {
  const missing: string[] = [];
  for (let at = resolve(folder); (await folderAt(at)) === null; at = dirname(at)) missing.unshift(at);
  for (const level of missing) {
    try {
      await mkdir(level);
    } catch (error) {
      // Another process may have made it meanwhile. A file is no folder.
      if (!hasCode(error, "EEXIST") || (await folderAt(level)) === null) throw error;
    }
  }
}
