import { chmodSync, lstatSync, type PathLike, readdirSync } from "node:fs";
import { hasCode } from "./fs-error.ts";

/** Runs `action`, and once more with every file and folder below `root` open to its owner if a mode was in its way. */
export async function withAccess<T>(root: string, action: () => Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (error) {
    if (!hasCode(error, "EACCES", "EPERM")) throw error;
    openAll(Buffer.from(root));
    return await action();
  }
}

/** Gives the owner of a file or folder what is needed to use it: to read and write, and to enter a folder. */
export function openToOwner(path: PathLike): void {
  const stat = lstatSync(path);
  const wanted = stat.mode | (stat.isDirectory() ? 0o700 : 0o600);
  if (wanted !== stat.mode) chmodSync(path, wanted & 0o7777);
}

/** By the bytes of the names, since they need not be text. Each folder before what is in it. */
function openAll(folder: Buffer): void {
  openToOwner(folder);
  for (const entry of readdirSync(folder, { encoding: "buffer", withFileTypes: true })) {
    const path = Buffer.concat([folder, Buffer.from("/"), entry.name]);
    if (entry.isDirectory()) openAll(path);
    else if (entry.isFile()) openToOwner(path);
  }
}
