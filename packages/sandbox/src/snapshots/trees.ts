import type { BlobId, Blobs, SnapshotId } from "@swarm/core";
import { decodeFolder, encodeFolder, type Folder, type Leaf, type Tree, type TreeEntry } from "./tree.ts";

/** How much of what was read last is kept, by its encoded size in bytes. */
const KEPT_BYTES = 16 * 1024 * 1024;

type Nested = Map<string, Leaf | Nested>;

/**
 * Trees of files in a store of blobs: a folder is a blob that names what is in it, and a snapshot is its topmost folder. So
 * what is equal in two snapshots is kept once, and a look at what differs never opens it.
 */
export class Trees {
  readonly blobs: Blobs;
  /** Values that no file which is kept may hold. */
  readonly secrets: readonly string[];
  readonly #kept = new Map<BlobId, { folder: Folder; size: number }>();
  #size = 0;

  constructor(blobs: Blobs, secrets: readonly string[] = []) {
    this.blobs = blobs;
    this.secrets = secrets;
  }

  async load(id: BlobId): Promise<Folder> {
    const kept = this.#kept.get(id);
    if (kept) return kept.folder;
    const bytes = await this.blobs.get(id);
    return this.#keep(id, decodeFolder(id, bytes), bytes.byteLength);
  }

  async save(folder: Folder): Promise<BlobId> {
    const text = encodeFolder(folder);
    const id = await this.blobs.put(text);
    this.#keep(id, new Map(folder), text.length);
    return id;
  }

  /** A folder and all below it, by their ids. Rejects when a part is missing or damaged, before anything is done with it. */
  async loadAll(id: SnapshotId, found = new Map<BlobId, Folder>()): Promise<ReadonlyMap<BlobId, Folder>> {
    if (found.has(id)) return found;
    const folder = await this.load(id);
    found.set(id, folder);
    for (const entry of folder.values()) if (entry.kind === "folder") await this.loadAll(entry.sha256, found);
    return found;
  }

  /** All files and links of a snapshot, by path, in no order. */
  async flatten(id: SnapshotId, prefix = "", tree = new Map<string, Leaf>()): Promise<Map<string, Leaf>> {
    for (const [name, entry] of await this.load(id)) {
      const path = `${prefix}${name}`;
      if (entry.kind === "folder") await this.flatten(entry.sha256, `${path}/`, tree);
      else tree.set(path, entry);
    }
    return tree;
  }

  /** The snapshot of a tree in which nothing is a file and a folder at once. */
  async build(tree: Tree): Promise<SnapshotId> {
    const top: Nested = new Map();
    for (const [path, leaf] of tree) {
      const names = path.split("/");
      const last = names.pop()!;
      let folder = top;
      for (const name of names) {
        const next = folder.get(name);
        const below: Nested = next instanceof Map ? next : new Map();
        folder = folder.set(name, below).get(name) as Nested;
      }
      folder.set(last, leaf);
    }
    return await this.#saveNested(top);
  }

  async #saveNested(nested: Nested): Promise<BlobId> {
    const folder = new Map<string, TreeEntry>();
    for (const [name, below] of nested) {
      folder.set(name, below instanceof Map ? { kind: "folder", sha256: await this.#saveNested(below) } : below);
    }
    return await this.save(folder);
  }

  #keep(id: BlobId, folder: Folder, size: number): Folder {
    if (!this.#kept.has(id)) this.#size += size;
    this.#kept.set(id, { folder, size });
    for (const [oldest, { size: freed }] of this.#kept) {
      if (this.#size <= KEPT_BYTES) break;
      this.#kept.delete(oldest);
      this.#size -= freed;
    }
    return folder;
  }
}
