import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join, posix } from "node:path";
import type { Blobs } from "@swarm/core";
import { hasCode } from "../files/fs-error.ts";
import { inFolder } from "../files/held.ts";
import { statOf } from "../files/open-file.ts";
import type { LeafChange } from "../snapshots/layers.ts";
import { foldersOf, type Leaf } from "../snapshots/tree.ts";

/** A change as it stands in the plan: whether there is something before it, and after it. */
type Planned = { path: string; had: boolean; has: boolean };

const PLAN = "plan.json";

/**
 * Makes changes below `root`, all of them or none. What is new is written to the folder `stage` on the same disk first, and
 * what is old is moved there, so that only renames are left to go wrong; until they are done a plan in it says how to go
 * back. A process that is killed amid them leaves that to {@link undoChanges}.
 */
export async function changeFiles(
  root: string,
  stage: string,
  changes: readonly LeafChange[],
  blobs: Pick<Blobs, "get">,
): Promise<void> {
  const plan = changes.map(({ path, from, to }) => ({ path, had: from !== undefined, has: to !== undefined }));
  mkdirSync(join(stage, "new"), { recursive: true });
  mkdirSync(join(stage, "old"));
  try {
    for (const [index, { path, to }] of changes.entries()) {
      if (to) await make(join(stage, "new", `${index}`), to, modeOf(root, path), blobs);
    }
    writeFileSync(join(stage, "plan"), JSON.stringify(plan));
    renameSync(join(stage, "plan"), join(stage, PLAN));
    carryOut(root, stage, plan);
    rmSync(join(stage, PLAN));
  } finally {
    undoChanges(root, stage);
  }
}

/** Takes back changes that were not carried out to their end, and removes their stage. May itself be cut short, and done again. */
export function undoChanges(root: string, stage: string): void {
  const plan: Planned[] = existsSync(join(stage, PLAN)) ? JSON.parse(readFileSync(join(stage, PLAN), "utf8")) : [];
  for (const [index, { path, had, has }] of plan.entries()) {
    const isMade = has && !isStaged(stage, "new", index) && (!had || isStaged(stage, "old", index));
    if (isMade) at(root, path, (place) => rmSync(place, { force: true }));
    if (isMade && !had) removeEmptyFolders(root, path);
  }
  for (const [index, { path }] of plan.entries()) {
    const back = (place: string) => renameSync(join(stage, "old", `${index}`), place);
    if (isStaged(stage, "old", index)) at(root, path, back, { make: true });
  }
  rmSync(join(stage, PLAN), { force: true });
  rmSync(stage, { recursive: true });
}

function carryOut(root: string, stage: string, plan: readonly Planned[]): void {
  for (const [index, { path, had }] of plan.entries()) {
    if (had) at(root, path, (place) => renameSync(place, join(stage, "old", `${index}`)));
  }
  const needed = new Set(plan.flatMap(({ path, has }) => (has ? foldersOf(path) : [])));
  for (const { path, has } of plan) if (!has) removeEmptyFolders(root, path, needed);
  for (const [index, { path, has }] of plan.entries()) {
    if (has) at(root, path, (place) => renameSync(join(stage, "new", `${index}`), place), { make: true });
  }
}

async function make(file: string, leaf: Leaf, mode: number | null, blobs: Pick<Blobs, "get">): Promise<void> {
  if (leaf.kind === "link") {
    symlinkSync(leaf.target, file);
    return;
  }
  writeFileSync(file, await blobs.get(leaf.sha256), { flag: "wx", mode: leaf.executable ? 0o777 : 0o666 });
  // Who may read a file may run it, as where it was made executable by hand.
  if (mode !== null) chmodSync(file, leaf.executable ? mode | ((mode & 0o444) >> 2) : mode & ~0o111);
}

/** Of the file at a path, without special rights; null where there is none. */
function modeOf(root: string, path: string): number | null {
  try {
    const stat = at(root, path, statOf);
    return stat?.isFile() ? Number(stat.mode & 0o777n) : null;
  } catch (error) {
    if (hasCode(error, "ENOENT", "ENOTDIR")) return null;
    throw error;
  }
}

function isStaged(stage: string, side: "new" | "old", index: number): boolean {
  return statOf(join(stage, side, `${index}`)) !== null;
}

/** Those that a path lay in, from the innermost, up to one that is not empty or that is `needed`. */
function removeEmptyFolders(root: string, path: string, needed: ReadonlySet<string> = new Set()): void {
  try {
    for (const folder of foldersOf(path).reverse()) {
      if (needed.has(folder)) return;
      at(root, folder, rmdirSync);
    }
  } catch (error) {
    if (!hasCode(error, "ENOTEMPTY", "EEXIST", "ENOENT")) throw error;
  }
}

function at<T>(root: string, path: string, use: (place: string) => T, options: { make?: boolean } = {}): T {
  const folder = posix.dirname(path);
  return inFolder(root, folder === "." ? "" : folder, (held) => use(`${held}/${posix.basename(path)}`), options);
}
