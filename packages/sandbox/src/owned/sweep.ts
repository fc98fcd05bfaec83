import { realpathSync } from "node:fs";
import { join } from "node:path";
import { isAlive, messageOf } from "@swarm/core";
import { killStrays } from "../exec/stray-processes.ts";
import { entriesOf } from "../files/walk.ts";
import { placeIn } from "../isolation/isolation.ts";
import { claimFolder, isHalfMade, ownerOf, PREFIX, removeOwnedFolder } from "./owned-folder.ts";

/**
 * Ends and removes what processes that were killed left in a temporary folder: the commands of their workspaces, and the
 * folders. What has no owner, or one that may still live, is left alone; an empty folder whose maker was killed as it made it goes after a minute. Several processes may sweep at once. Never rejects:
 * what cannot be removed is a warning of this process, and no reason to stop work.
 */
export async function sweep(temporary: string): Promise<void> {
  for (const base of ownedFolders(temporary)) {
    try {
      await sweepOne(base);
    } catch (error) {
      process.emitWarning(`${base} could not be swept: ${messageOf(error)}`, "SwarmWarning");
    }
  }
}

async function sweepOne(base: string): Promise<void> {
  if (isHalfMade(base)) return await removeOwnedFolder(base);
  const owner = ownerOf(base);
  if (!owner || isAlive(owner)) return;
  // Before it has another name: they are found by this one.
  await killStrays(placeIn(base).workspace);
  const claimed = claimFolder(base);
  if (claimed) await removeOwnedFolder(claimed);
}

function ownedFolders(temporary: string): string[] {
  try {
    const real = realpathSync(temporary);
    return entriesOf(real, "")
      .filter(({ kind, path }) => kind === "directory" && path.startsWith(PREFIX))
      .map(({ path }) => join(real, path));
  } catch {
    return []; // Not there, or not to be listed. Whoever makes a folder in it is told what is wrong with it.
  }
}
