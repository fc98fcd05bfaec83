import { existsSync, mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";

/**
 * Makes a folder, and those above it that are missing; one that is there already is fine. Throws what the system says
 * where that cannot be. Not by `recursive`: below a place that takes no folders, such as `/proc`, Node tries that for ever.
 */
export function makeFolder(path: string): void {
  const levels = [path];
  for (let above = dirname(path); !existsSync(above) && above !== dirname(above); above = dirname(above)) {
    levels.unshift(above);
  }
  for (const level of levels) makeLevel(level);
}

function makeLevel(folder: string): void {
  try {
    mkdirSync(folder);
  } catch (error) {
    if (!isFolder(folder)) throw error;
  }
}

/** Whether there is a folder, by itself or by a link. */
function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}
