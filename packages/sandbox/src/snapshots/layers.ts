import type { Change } from "@swarm/core";
import { compareText, foldersOf, sameEntry, type Tree, type TreeEntry } from "./tree.ts";

/** What changes between two trees, sorted by path. */
export function changesBetween(from: Tree, to: Tree): Change[] {
  const changes: Change[] = [];
  for (const path of new Set([...from.keys(), ...to.keys()])) {
    if (sameEntry(from.get(path), to.get(path))) continue;
    changes.push({ path, kind: !from.has(path) ? "added" : !to.has(path) ? "removed" : "changed" });
  }
  return changes.sort((a, b) => compareText(a.path, b.path));
}

/** `base` with `top` laid over it. What stands where `top` has a file, or where it needs a folder, gives way. */
export function overlay(base: Tree, top: Tree): Tree {
  const folders = new Set([...top.keys()].flatMap(foldersOf));
  const kept = [...base].filter(([path]) => !folders.has(path) && !foldersOf(path).some((folder) => top.has(folder)));
  return new Map([...kept, ...top]);
}

/**
 * The changes of all forks together. A path that two forks changed differently is a conflict and keeps its base, and so
 * is a file that one fork put where another needs a folder.
 */
export function merge(base: Tree, forks: readonly Tree[]): { tree: Tree; conflicts: string[] } {
  const wanted = new Map<string, TreeEntry | undefined>();
  const conflicts = new Set<string>();
  for (const fork of forks) {
    for (const { path } of changesBetween(base, fork)) {
      const entry = fork.get(path);
      if (wanted.has(path) && !sameEntry(wanted.get(path), entry)) conflicts.add(path);
      wanted.set(path, entry);
    }
  }
  for (;;) {
    const tree = new Map(base);
    for (const [path, entry] of wanted) {
      if (conflicts.has(path)) continue;
      if (entry) tree.set(path, entry);
      else tree.delete(path);
    }
    const clashes = clashingPaths(tree).filter((path) => wanted.has(path) && !conflicts.has(path));
    if (clashes.length === 0) return { tree, conflicts: [...conflicts].sort(compareText) };
    for (const path of clashes) conflicts.add(path);
  }
}

function clashingPaths(tree: Tree): string[] {
  return [...tree.keys()].flatMap((path) => {
    const blockers = foldersOf(path).filter((folder) => tree.has(folder));
    return blockers.length > 0 ? [path, ...blockers] : [];
  });
}
