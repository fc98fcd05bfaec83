import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { makeOwnedFolder, removeOwnedFolder } from "../owned/owned-folder.ts";
import { git } from "./git.ts";
import { kindOfChange, type LeafChange } from "./layers.ts";

/**
 * The changes less the new files that a project keeps out of its history, such as what a build leaves, as git itself reads
 * its `.gitignore` files. They are those from before the changes: what is new cannot hide itself.
 *
 * @param rules content of the `.gitignore` files by path
 */
export async function withoutIgnored(
  changes: readonly LeafChange[],
  rules: ReadonlyMap<string, Uint8Array>,
): Promise<readonly LeafChange[]> {
  const added = changes.filter((change) => kindOfChange(change) === "added").map(({ path }) => path);
  if (added.length === 0 || rules.size === 0) return changes;
  const base = makeOwnedFolder();
  try {
    const ignored = await ignoredPaths(added, rules, join(base, "rules"));
    return changes.filter(({ path }) => !ignored.has(path));
  } finally {
    await removeOwnedFolder(base);
  }
}

async function ignoredPaths(
  paths: readonly string[],
  rules: ReadonlyMap<string, Uint8Array>,
  cwd: string,
): Promise<ReadonlySet<string>> {
  for (const [path, bytes] of rules) {
    mkdirSync(dirname(join(cwd, path)), { recursive: true });
    writeFileSync(join(cwd, path), bytes);
  }
  await git(["init", "--quiet", "--template=", "."], { cwd });
  // No name begins with a dot and a slash, which keeps one like `:(top)` from being read as anything but a path.
  const input = [Buffer.from(paths.map((path) => `./${path}\0`).join(""))];
  const output = await git(["check-ignore", "--no-index", "-z", "--stdin"], { cwd, input, none: 1 });
  return new Set(
    output
      .toString()
      .split("\0")
      .map((path) => path.slice(2)),
  );
}
