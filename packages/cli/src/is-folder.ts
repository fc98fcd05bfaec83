import { statSync } from "node:fs";

/** Whether there is a folder, by itself or by a link. */
export function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}
