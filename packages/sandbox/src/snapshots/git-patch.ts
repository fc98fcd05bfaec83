import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { BlobId } from "@swarm/core";
import { makeOwnedFolder, removeOwnedFolder } from "../owned/owned-folder.ts";
import { git } from "./git.ts";
import type { LeafChange } from "./layers.ts";
import type { Leaf } from "./tree.ts";

/**
 * What `git apply` needs to make the changes, byte for byte. Both sides go into a throw-away bare repository without
 * ever being files, so that no attribute, line-end setting, file mode mask or file system can change them.
 */
export async function gitPatch(
  changes: readonly LeafChange[],
  read: (id: BlobId) => Promise<Uint8Array>,
): Promise<Uint8Array> {
  if (changes.length === 0) return new Uint8Array();
  const base = makeOwnedFolder();
  const repository = join(base, "repository");
  try {
    await mkdir(repository);
    const options = { cwd: repository };
    await git(["init", "--quiet", "--bare", "--template=", "."], options);
    await git(["fast-import", "--quiet"], { ...options, input: commits(changes, read) });
    const patch = await git([...DIFF, "refs/heads/from", "refs/heads/to"], options);
    return changes.some(({ path }) => path.includes(" /")) ? quotingBlanks(patch) : patch;
  } finally {
    await removeOwnedFolder(base);
  }
}

const DIFF = [
  ...["-c", "core.quotePath=false", "diff-tree", "-p", "--binary", "--full-index", "--no-renames"],
  ...["--no-color", "--no-ext-diff", "--no-textconv"],
];

/** Where a folder's name ends in a blank, git reads a path back from the `diff --git` line only if it stands in quotes. */
function quotingBlanks(patch: Buffer): Buffer {
  const header = /(?<=^|\n)diff --git a\/([^\n]* \/[^\n]*) b\/\1(?=\n)/g;
  return Buffer.from(patch.toString("latin1").replace(header, 'diff --git "a/$1" "b/$1"'), "latin1");
}

async function* commits(
  changes: readonly LeafChange[],
  read: (id: BlobId) => Promise<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  for (const side of ["from", "to"] as const) {
    yield Buffer.from(`commit refs/heads/${side}\ncommitter swarm <swarm@localhost> 0 +0000\ndata 0\n`);
    for (const { path, [side]: leaf } of changes) {
      if (!leaf) continue;
      const bytes = leaf.kind === "link" ? Buffer.from(leaf.target) : await read(leaf.sha256);
      yield Buffer.from(`M ${modeOf(leaf)} inline ${quoted(path)}\ndata ${bytes.byteLength}\n`);
      yield bytes;
      yield Buffer.from("\n");
    }
  }
}

function modeOf(leaf: Leaf): string {
  if (leaf.kind === "link") return "120000";
  return leaf.executable ? "100755" : "100644";
}

/** A path as fast-import reads it, whatever characters it holds. */
function quoted(path: string): string {
  return `"${path.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n")}"`;
}
