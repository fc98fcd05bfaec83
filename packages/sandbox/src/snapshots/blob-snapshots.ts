import { isUtf8 } from "node:buffer";
import type { BlobId, Blobs, Files, SnapshotId, Snapshots } from "@swarm/core";
import { NotFoundError } from "@swarm/core";
import { resolvePath } from "../files/workspace-path.ts";
import { gitPatch } from "./git-patch.ts";
import { changesBetween, merge, overlay } from "./layers.ts";
import { refuseSecrets } from "./refuse-secrets.ts";
import { sourceTree } from "./source-tree.ts";
import { decodeTree, encodeTree, type Tree } from "./tree.ts";

/**
 * Snapshots whose only storage is `blobs`: each is one blob, a canonical list of its paths with the ids of their contents.
 * Two sources with the same files have the same id, whatever they came from. Folders without files are not kept, nor is
 * anything in `IGNORED`.
 */
export function blobSnapshots(blobs: Blobs): Snapshots {
  return {
    async put(source, { secrets = [] } = {}) {
      if (secrets.length > 0) await refuseSecrets(source, secrets);
      return await saveTree(blobs, await sourceTree(source, blobs));
    },
    async list(id) {
      return [...(await loadTree(blobs, id)).keys()];
    },
    async read(id, path) {
      return await blobs.get(fileAt(await loadTree(blobs, id), id, path));
    },
    /** Without links: `Files` cannot hold them. */
    async files(id) {
      const files: [string, Files[string]][] = [];
      for (const [path, entry] of await loadTree(blobs, id)) {
        if (entry.kind === "file") files.push([path, contentOf(await blobs.get(entry.sha256), entry.executable)]);
      }
      return Object.fromEntries(files);
    },
    async overlay(base, tops) {
      let tree = await loadTree(blobs, base);
      for (const top of tops) tree = overlay(tree, await loadTree(blobs, top));
      return await saveTree(blobs, tree);
    },
    async merge(base, forks) {
      const trees = await Promise.all(forks.map((fork) => loadTree(blobs, fork)));
      const { tree, conflicts } = merge(await loadTree(blobs, base), trees);
      return { snapshot: await saveTree(blobs, tree), conflicts };
    },
    async diff(from, to) {
      return changesBetween(await loadTree(blobs, from), await loadTree(blobs, to));
    },
    async patch(from, to) {
      return await gitPatch(await loadTree(blobs, from), await loadTree(blobs, to), (id) => blobs.get(id));
    },
  };
}

export async function saveTree(blobs: Blobs, tree: Tree): Promise<SnapshotId> {
  return await blobs.put(encodeTree(tree));
}

export async function loadTree(blobs: Blobs, id: SnapshotId): Promise<Tree> {
  return decodeTree(id, await blobs.get(id));
}

function fileAt(tree: Tree, id: SnapshotId, path: string): BlobId {
  const real = resolvePath(path, "follow", (at) => {
    const entry = tree.get(at);
    return entry?.kind === "link" ? entry.target : null;
  });
  const entry = tree.get(real);
  if (entry?.kind !== "file") throw new NotFoundError(`file ${JSON.stringify(path)} of snapshot ${id}`);
  return entry.sha256;
}

function contentOf(bytes: Uint8Array, executable: boolean): Files[string] {
  if (executable) return { base64: Buffer.from(bytes).toString("base64"), executable: true };
  return isUtf8(bytes) ? Buffer.from(bytes).toString() : { base64: Buffer.from(bytes).toString("base64") };
}
