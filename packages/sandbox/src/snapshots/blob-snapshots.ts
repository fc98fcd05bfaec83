import { isUtf8 } from "node:buffer";
import { basename } from "node:path";
import type { BlobId, Blobs, Files, SnapshotId, Snapshots } from "@swarm/core";
import { NotFoundError } from "@swarm/core";
import { resolvePath } from "../files/workspace-path.ts";
import { withoutIgnored } from "./git-ignored.ts";
import { gitPatch } from "./git-patch.ts";
import { changesBetween, kindOfChange, merge, overlay } from "./layers.ts";
import { refuseSecrets } from "./refuse-secrets.ts";
import { sourceTree } from "./source-tree.ts";
import { compareText, type Tree } from "./tree.ts";
import { Trees } from "./trees.ts";

/**
 * Snapshots whose only storage is `blobs`: each folder of one is a blob, a canonical list of the names in it with the ids of
 * their contents. Two sources with the same files have the same id, whatever they came from. Folders without files are not
 * kept, nor is anything in `IGNORED`.
 */
export function blobSnapshots(blobs: Blobs): Snapshots {
  return snapshotsOf(new Trees(blobs));
}

/** The same over trees that others use too. */
export function snapshotsOf(trees: Trees): Snapshots {
  const { blobs } = trees;

  async function deliveredChanges(from: SnapshotId, to: SnapshotId) {
    const all = await changesBetween(trees, from, to);
    return { all, kept: await withoutIgnored(all, await ignoreRules(trees, from)) };
  }

  return {
    async put(source, { secrets = [] } = {}) {
      if (secrets.length > 0) await refuseSecrets(source, secrets);
      return await trees.build(await sourceTree(source, blobs));
    },
    async list(id) {
      return [...(await trees.flatten(id)).keys()].sort(compareText);
    },
    async read(id, path) {
      return await blobs.get(fileAt(await trees.flatten(id), id, path));
    },
    /** Without links: `Files` cannot hold them. */
    async files(id) {
      const files: [string, Files[string]][] = [];
      for (const [path, leaf] of await trees.flatten(id)) {
        if (leaf.kind === "file") files.push([path, contentOf(await blobs.get(leaf.sha256), leaf.executable)]);
      }
      return Object.fromEntries(files.sort(([a], [b]) => compareText(a, b)));
    },
    async overlay(base, tops) {
      let result = base;
      for (const top of tops) result = await overlay(trees, result, top);
      return result;
    },
    merge: (base, forks) => merge(trees, base, forks),
    async diff(from, to) {
      const changes = await changesBetween(trees, from, to);
      return changes.map((change) => ({ path: change.path, kind: kindOfChange(change) }));
    },
    async delivered(from, to) {
      const { all, kept } = await deliveredChanges(from, to);
      const leftOut = all.filter((change) => !kept.includes(change)).map(({ path }) => path);
      if (leftOut.length === 0) return { snapshot: to, leftOut };
      const tree = new Map(await trees.flatten(to));
      for (const path of leftOut) tree.delete(path);
      return { snapshot: await trees.build(tree), leftOut };
    },
    async patch(from, to) {
      const { kept } = await deliveredChanges(from, to);
      return await gitPatch(kept, (id) => blobs.get(id));
    },
  };
}

async function ignoreRules(trees: Trees, id: SnapshotId): Promise<Map<string, Uint8Array>> {
  const rules = new Map<string, Uint8Array>();
  for (const [path, leaf] of await trees.flatten(id)) {
    if (leaf.kind === "file" && basename(path) === ".gitignore") rules.set(path, await trees.blobs.get(leaf.sha256));
  }
  return rules;
}

function fileAt(tree: Tree, id: SnapshotId, path: string): BlobId {
  const real = resolvePath(path, "follow", (at) => {
    const leaf = tree.get(at);
    return leaf?.kind === "link" ? leaf.target : null;
  });
  const leaf = tree.get(real);
  if (leaf?.kind !== "file") throw new NotFoundError(`file ${JSON.stringify(path)} of snapshot ${id}`);
  return leaf.sha256;
}

function contentOf(bytes: Uint8Array, executable: boolean): Files[string] {
  if (executable) return { base64: Buffer.from(bytes).toString("base64"), executable: true };
  return isUtf8(bytes) ? Buffer.from(bytes).toString() : { base64: Buffer.from(bytes).toString("base64") };
}
