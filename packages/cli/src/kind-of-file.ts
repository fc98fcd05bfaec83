import { type Stats, statSync } from "node:fs";

/** Whether there is a folder, by itself or by a link. */
export function isFolder(path: string): boolean {
  return lookedAt(path)?.isDirectory() ?? false;
}

/** Whether there is a file that is no device or pipe, by itself or by a link. */
export function isRegularFile(path: string): boolean {
  return lookedAt(path)?.isFile() ?? false;
}

function lookedAt(path: string): Stats | null {
  try {
    return statSync(path);
  } catch {
    return null;
  }
}
