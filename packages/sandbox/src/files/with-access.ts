import { chmodSync, readdirSync } from "node:fs";
import { hasCode } from "./fs-error.ts";
import { held, heldFolder } from "./held.ts";

/** Runs `action`, and once more with every file and folder below `root` open to its owner if a mode was in its way. */
export async function withAccess<T>(root: string, action: () => Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (error) {
    if (!hasCode(error, "EACCES", "EPERM")) throw error;
    openAll(root);
    return await action();
  }
}

/** Gives the owner of a file or folder what is needed to use it: to read and write, and to enter a folder. */
export function openToOwner(absolute: string | Buffer): void {
  held(absolute, (name, stat) => {
    if (!stat.isFile() && !stat.isDirectory()) return;
    const wanted = stat.mode | (stat.isDirectory() ? 0o700 : 0o600);
    if (wanted !== stat.mode) chmodSync(name, wanted & 0o7777);
  });
}

/** By the bytes of the names, since they need not be text. Each folder before what is in it. */
function openAll(absolute: string | Buffer): void {
  openToOwner(absolute);
  heldFolder(absolute, (folder) => {
    for (const entry of readdirSync(folder, { encoding: "buffer", withFileTypes: true })) {
      const path = Buffer.concat([Buffer.from(`${folder}/`), entry.name]);
      if (entry.isDirectory()) openAll(path);
      else if (entry.isFile()) openToOwner(path);
    }
  });
}
