import type { Change, SnapshotId } from "@swarm/core";
import { compareText, foldersOf, type Leaf, sameEntry, type Tree, type TreeEntry } from "./tree.ts";
import type { Trees } from "./trees.ts";

/** What stands at a path on either side. */
export type LeafChange = { path: string; from: Leaf | undefined; to: Leaf | undefined };

/** The files and links that differ between two snapshots, sorted by path. What is equal is not looked into. */
export async function changesBetween(trees: Trees, from: SnapshotId, to: SnapshotId): Promise<LeafChange[]> {
  const changes = await differences(trees, { kind: "folder", sha256: from }, { kind: "folder", sha256: to }, "");
  return changes.sort((a, b) => compareText(a.path, b.path));
}

export function kindOfChange({ from, to }: LeafChange): Change["kind"] {
  return !from ? "added" : !to ? "removed" : "changed";
}

async function differences(
  trees: Trees,
  from: TreeEntry | undefined,
  to: TreeEntry | undefined,
  path: string,
): Promise<LeafChange[]> {
  if (sameEntry(from, to)) return [];
  const changes: LeafChange[] = [];
  const leaves = { from: asLeaf(from), to: asLeaf(to) };
  if (leaves.from || leaves.to) changes.push({ path, ...leaves });
  const [one, other] = [await inside(trees, from), await inside(trees, to)];
  for (const name of new Set([...one.keys(), ...other.keys()])) {
    const below = path === "" ? name : `${path}/${name}`;
    changes.push(...(await differences(trees, one.get(name), other.get(name), below)));
  }
  return changes;
}

function asLeaf(entry: TreeEntry | undefined): Leaf | undefined {
  return entry?.kind === "folder" ? undefined : entry;
}

async function inside(trees: Trees, entry: TreeEntry | undefined): Promise<ReadonlyMap<string, TreeEntry>> {
  return entry?.kind === "folder" ? await trees.load(entry.sha256) : new Map();
}

/** `base` with `top` laid over it. What stands where `top` has a file, or where it needs a folder, gives way. */
export async function overlay(trees: Trees, base: SnapshotId, top: SnapshotId): Promise<SnapshotId> {
  const folder = new Map(await trees.load(base));
  for (const [name, entry] of await trees.load(top)) {
    const below = folder.get(name);
    const both = entry.kind === "folder" && below?.kind === "folder";
    folder.set(name, both ? { ...entry, sha256: await overlay(trees, below.sha256, entry.sha256) } : entry);
  }
  return await trees.save(folder);
}

/**
 * The changes of all forks together. A path that two forks changed differently is a conflict and keeps its base, and so
 * is a file that one fork put where another needs a folder.
 */
export async function merge(
  trees: Trees,
  base: SnapshotId,
  forks: readonly SnapshotId[],
): Promise<{ snapshot: SnapshotId; conflicts: string[] }> {
  const wanted = new Map<string, Leaf | undefined>();
  const conflicts = new Set<string>();
  for (const fork of forks) {
    for (const { path, to } of await changesBetween(trees, base, fork)) {
      if (wanted.has(path) && !sameEntry(wanted.get(path), to)) conflicts.add(path);
      wanted.set(path, to);
    }
  }
  const tree = settle(await trees.flatten(base), wanted, conflicts);
  return { snapshot: await trees.build(tree), conflicts: [...conflicts].sort(compareText) };
}

/** `base` with what is wanted and in no conflict; adds to the conflicts until no path is a file and a folder at once. */
function settle(base: Tree, wanted: ReadonlyMap<string, Leaf | undefined>, conflicts: Set<string>): Tree {
  for (;;) {
    const tree = new Map(base);
    for (const [path, leaf] of wanted) {
      if (conflicts.has(path)) continue;
      if (leaf) tree.set(path, leaf);
      else tree.delete(path);
    }
    const clashes = clashingPaths(tree).filter((path) => wanted.has(path) && !conflicts.has(path));
    if (clashes.length === 0) return tree;
    for (const path of clashes) conflicts.add(path);
  }
}

function clashingPaths(tree: Tree): string[] {
  return [...tree.keys()].flatMap((path) => {
    const blockers = foldersOf(path).filter((folder) => tree.has(folder));
    return blockers.length > 0 ? [path, ...blockers] : [];
  });
}
