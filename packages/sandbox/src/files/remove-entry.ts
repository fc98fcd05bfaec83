import { lstatSync, readdirSync, rmdirSync, unlinkSync } from "node:fs";
import { heldFolder } from "./held.ts";

/**
 * Removes what has a name in a folder, and all that is in it: by the bytes of the names, since they need not be text, and never
 * through a link, also not one that is put there meanwhile.
 */
export function removeEntry(folder: string, name: string | Buffer): void {
  const absolute = Buffer.concat([Buffer.from(`${folder}/`), Buffer.from(name)]);
  if (!lstatSync(absolute).isDirectory()) {
    unlinkSync(absolute);
    return;
  }
  heldFolder(absolute, (below) => {
    for (const entry of readdirSync(below, { encoding: "buffer" })) removeEntry(below, entry);
  });
  rmdirSync(absolute);
}
