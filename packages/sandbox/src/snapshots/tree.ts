import { type BlobId, InvalidInputError, type SnapshotId, workspacePathProblem } from "@swarm/core";
import { z } from "zod";

/** A file, or a link with its text as it is: it may lead nowhere, and is never followed out of the tree. */
export type Leaf = { kind: "file"; sha256: BlobId; executable: boolean } | { kind: "link"; target: string };
/** What stands at a name in a folder. A folder's `sha256` is the blob of what is in it. */
export type TreeEntry = Leaf | { kind: "folder"; sha256: BlobId };
/** What is in one folder, by name. */
export type Folder = ReadonlyMap<string, TreeEntry>;
/** All files and links by path. Folders are not kept: they exist where a file does. */
export type Tree = ReadonlyMap<string, Leaf>;

const sha256 = z.string().regex(/^[0-9a-f]{64}$/);
const TreeEntrySchema = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("file"), sha256, executable: z.boolean() }),
  z.strictObject({ kind: z.literal("link"), target: z.string().min(1) }),
  z.strictObject({ kind: z.literal("folder"), sha256 }),
]);

/** The canonical form of a folder: equal folders have equal text. */
export function encodeFolder(folder: Folder): string {
  const entries = [...folder]
    .sort(([a], [b]) => compareText(a, b))
    .map(([name, entry]) => [name, canonical(entry)] as const);
  return JSON.stringify(Object.fromEntries(entries));
}

/** Rejects whatever could not be laid into a folder without leaving it, wherever the text came from. */
export function decodeFolder(id: SnapshotId, bytes: Uint8Array): Folder {
  const folder = new Map<string, TreeEntry>();
  for (const [name, value] of Object.entries(parseObject(id, bytes))) {
    const entry = TreeEntrySchema.safeParse(value);
    // As a part of a path: what a drive letter would be at the beginning of one is a name further down.
    const problem = name.includes("/") ? "is no name" : workspacePathProblem(`_/${name}`);
    if (problem || !entry.success) {
      throw notASnapshot(id, `${JSON.stringify(name)} ${problem ?? "is no file, link or folder"}`);
    }
    folder.set(name, entry.data);
  }
  return folder;
}

export function sameEntry(a: TreeEntry | undefined, b: TreeEntry | undefined): boolean {
  if (!a || !b) return a === b;
  if (a.kind === "link") return b.kind === "link" && a.target === b.target;
  if (a.kind !== b.kind || a.sha256 !== b.sha256) return false;
  return a.kind === "folder" || (b.kind === "file" && a.executable === b.executable);
}

/** `a`, `a/b` for `a/b/c`. */
export function foldersOf(path: string): string[] {
  const names = path.split("/").slice(0, -1);
  return names.map((_, index) => names.slice(0, index + 1).join("/"));
}

/** A path that another one lies below, as if it were a folder; undefined where there is none. */
export function firstClash(paths: { keys(): Iterable<string>; has(path: string): boolean }): string | undefined {
  for (const path of paths.keys()) {
    for (const folder of foldersOf(path)) if (paths.has(folder)) return folder;
  }
  return undefined;
}

/** Order by UTF-16 unit: the same on every machine, unlike a locale's. */
export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function canonical(entry: TreeEntry): TreeEntry {
  if (entry.kind === "file") return { kind: "file", sha256: entry.sha256, executable: entry.executable };
  return entry.kind === "link" ? { kind: "link", target: entry.target } : { kind: "folder", sha256: entry.sha256 };
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
