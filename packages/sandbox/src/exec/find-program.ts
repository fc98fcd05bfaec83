import { accessSync, constants, statSync } from "node:fs";
import { join } from "node:path";

/** The absolute path of a program in the first of `folders` that has it, or null. */
export function findProgram(name: string, folders: readonly string[]): string | null {
  return folders.map((folder) => join(folder, name)).find(isExecutable) ?? null;
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false; // Not there, or not for us: the same to who wants to run it.
  }
}
