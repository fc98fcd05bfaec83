import { type BlobId, InvalidInputError, type SnapshotId, workspacePathProblem } from "@swarm/core";
import { z } from "zod";

/** What a path of a snapshot is. Folders are not kept: they exist where a file does. */
export type TreeEntry =
  | { kind: "file"; sha256: BlobId; executable: boolean }
  /** `target` is the link's text as it is; it may lead nowhere, and is never followed out of the tree. */
  | { kind: "link"; target: string };
export type Tree = ReadonlyMap<string, TreeEntry>;

const TreeEntrySchema = z.union([
  z.strictObject({ kind: z.literal("file"), sha256: z.string().regex(/^[0-9a-f]{64}$/), executable: z.boolean() }),
  z.strictObject({ kind: z.literal("link"), target: z.string().min(1) }),
]);

/** The canonical form of a tree: equal trees have equal text. */
export function encodeTree(tree: Tree): string {
  const entries = [...tree]
    .sort(([a], [b]) => compareText(a, b))
    .map(([path, entry]) => [path, canonical(entry)] as const);
  return JSON.stringify(Object.fromEntries(entries));
}

/** Rejects whatever could not be laid into a folder without leaving it, wherever the text came from. */
export function decodeTree(id: SnapshotId, bytes: Uint8Array): Tree {
  const tree = new Map<string, TreeEntry>();
  for (const [path, value] of Object.entries(parseObject(id, bytes))) {
    const entry = TreeEntrySchema.safeParse(value);
    const problem = workspacePathProblem(path);
    if (problem || !entry.success) throw notASnapshot(id, `${JSON.stringify(path)} ${problem ?? "is no file or link"}`);
    tree.set(path, entry.data);
  }
  const clash = firstClash(tree);
  if (clash) throw notASnapshot(id, `${JSON.stringify(clash)} is a file and a folder at once`);
  return new Map([...tree].sort(([a], [b]) => compareText(a, b)));
}

export function sameEntry(a: TreeEntry | undefined, b: TreeEntry | undefined): boolean {
  if (!a || !b) return a === b;
  if (a.kind === "file") return b.kind === "file" && a.sha256 === b.sha256 && a.executable === b.executable;
  return b.kind === "link" && a.target === b.target;
}

/** `a`, `a/b` for `a/b/c`. */
export function foldersOf(path: string): string[] {
  const names = path.split("/").slice(0, -1);
  return names.map((_, index) => names.slice(0, index + 1).join("/"));
}

/** An entry that another entry lies below, as if it were a folder; undefined where there is none. */
export function firstClash(tree: Tree): string | undefined {
  for (const path of tree.keys()) {
    for (const folder of foldersOf(path)) if (tree.has(folder)) return folder;
  }
  return undefined;
}

/** Order by UTF-16 unit: the same on every machine, unlike a locale's. */
export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function canonical(entry: TreeEntry): TreeEntry {
  return entry.kind === "file"
    ? { kind: "file", sha256: entry.sha256, executable: entry.executable }
    : { kind: "link", target: entry.target };
}

function parseObject(id: SnapshotId, bytes: Uint8Array): object {
  let value: unknown;
  try {
    value = JSON.parse(Buffer.from(bytes).toString());
  } catch (error) {
    throw notASnapshot(id, "it is not JSON", error);
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw notASnapshot(id, "it is no object");
  return value;
}

function notASnapshot(id: SnapshotId, problem: string, cause?: unknown): InvalidInputError {
  return new InvalidInputError("snapshot", `blob ${id} is no snapshot: ${problem}`, { cause });
}
