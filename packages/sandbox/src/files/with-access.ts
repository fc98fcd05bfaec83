import { chmodSync, lstatSync } from "node:fs";
import { hasCode } from "./fs-error.ts";
import { walk } from "./walk.ts";

/** Runs `action`, and once more with every file and folder below `root` open to its owner if a mode was in its way. */
export async function withAccess<T>(root: string, action: () => Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (error) {
    if (!hasCode(error, "EACCES", "EPERM")) throw error;
    openToOwner(root);
    for (const { kind, path, problem } of walk(root, "", () => false)) {
      if (!problem && (kind === "directory" || kind === "file")) openToOwner(`${root}/${path}`);
    }
    return await action();
  }
}

function openToOwner(absolute: string): void {
  const stat = lstatSync(absolute);
  const wanted = stat.mode | (stat.isDirectory() ? 0o700 : 0o600);
  if (wanted !== stat.mode) chmodSync(absolute, wanted & 0o7777);
}
