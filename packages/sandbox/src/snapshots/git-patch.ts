import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { BlobId } from "@swarm/core";
import { makeOwnedFolder, removeOwnedFolder } from "../owned/owned-folder.ts";
import { git } from "./git.ts";
import { changesBetween } from "./layers.ts";
import type { Tree, TreeEntry } from "./tree.ts";

/**
 * What `git apply` needs to make `to` of `from`, byte for byte. Both sides go into a throw-away bare repository without
 * ever being files, so that no attribute, line-end setting, file mode mask or file system can change them.
 */
export async function gitPatch(from: Tree, to: Tree, read: (id: BlobId) => Promise<Uint8Array>): Promise<Uint8Array> {
  const paths = changesBetween(from, to).map(({ path }) => path);
  if (paths.length === 0) return new Uint8Array();
  const base = makeOwnedFolder();
  const repository = join(base, "repository");
  try {
    await mkdir(repository);
    const options = { cwd: repository };
    await git(["init", "--quiet", "--bare", "--template=", "."], options);
    await git(["fast-import", "--quiet"], { ...options, input: commits({ from, to }, paths, read) });
    return await git([...DIFF, "refs/heads/from", "refs/heads/to"], options);
  } finally {
    await removeOwnedFolder(base);
  }
}

const DIFF = [
  ...["-c", "core.quotePath=false", "diff-tree", "-p", "--binary", "--full-index", "--no-renames"],
  ...["--no-color", "--no-ext-diff", "--no-textconv"],
];

async function* commits(
  sides: Record<string, Tree>,
  paths: readonly string[],
  read: (id: BlobId) => Promise<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  for (const [name, tree] of Object.entries(sides)) {
    yield Buffer.from(`commit refs/heads/${name}\ncommitter swarm <swarm@localhost> 0 +0000\ndata 0\n`);
    for (const path of paths) {
      const entry = tree.get(path);
      if (!entry) continue;
      const bytes = entry.kind === "link" ? Buffer.from(entry.target) : await read(entry.sha256);
      yield Buffer.from(`M ${modeOf(entry)} inline ${quoted(path)}\ndata ${bytes.byteLength}\n`);
      yield bytes;
      yield Buffer.from("\n");
    }
  }
}

function modeOf(entry: TreeEntry): string {
  if (entry.kind === "link") return "120000";
  return entry.executable ? "100755" : "100644";
}

/** A path as fast-import reads it, whatever characters it holds. */
function quoted(path: string): string {
  return `"${path.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n")}"`;
}
