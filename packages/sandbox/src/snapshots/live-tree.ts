import { chmodSync, lstatSync, mkdirSync, readdirSync, rmSync, type Stats, symlinkSync, writeFileSync } from "node:fs";
import { type BlobId, holdsSecret, PathError, type SnapshotId, workspacePathProblem } from "@swarm/core";
import { hasCode } from "../files/fs-error.ts";
import { keepableTarget, linkTarget } from "../files/link-target.ts";
import { readRegularFile } from "../files/open-file.ts";
import { entriesOf, keepable } from "../files/walk.ts";
import { WORKSPACE_ROOT } from "../files/workspace-path.ts";
import { sha256 } from "./directory-blobs.ts";
import { isIgnored } from "./ignored.ts";
import { inBatches } from "./in-batches.ts";
import { LiveFile, LiveFolder } from "./live-entries.ts";
import { type Folder, type Leaf, sameEntry, type TreeEntry } from "./tree.ts";
import type { Trees } from "./trees.ts";

type Unread = { path: string; file: LiveFile };
type Unwritten = Unread & { wanted: Leaf & { kind: "file" }; present: boolean };

const SECRET = "cannot be kept: it holds a value that is named as a secret of the run. Remove it";
/** A name that may be none that a workspace path can hold: only such ones are looked at closely. */
const SUSPECT = /[\\:\uFFFD]/;

/**
 * A folder of this machine as a tree of files. Remembers what each file's content and each folder's names were for as long as
 * its inode, size, times and mode stay what they were, and what each folder's was while nothing below it changes, so that looking at an
 * unchanged folder reads and writes nothing. Pipes, sockets and devices are never opened. One call at a time.
 *
 * @param root real path of the folder
 * @param rebase whether links into {@link WORKSPACE_ROOT} must point to `root` on disk; kept ones always say the former
 */
export class LiveTree {
  readonly #root: string;
  readonly #trees: Trees;
  readonly #rebase: boolean;
  readonly #top = new LiveFolder();
  /** Whether `#top` is all that is in the folder, so that a part of it can be looked at alone. */
  #whole = false;
  #torn = false;

  constructor(root: string, trees: Trees, options: { rebase: boolean }) {
    this.#root = root;
    this.#trees = trees;
    this.#rebase = options.rebase;
  }

  /** Whether a restore began and did not end, so that the folder holds neither what it did before nor the snapshot. */
  get torn(): boolean {
    return this.#torn;
  }

  /** The snapshot of what is there now. `touched` names the only paths that can have changed since the last one or restore. */
  async capture(touched?: readonly string[]): Promise<SnapshotId> {
    const unread: Unread[] = [];
    const partly = touched && this.#whole && !touched.some(workspacePathProblem);
    this.#whole = false;
    if (partly) for (const path of touched) this.#scanAt(path, unread);
    else this.#scan(this.#top, "", statOf(this.#root), unread);
    await inBatches(unread, (file) => this.#read(file));
    const id = (await this.#save(this.#top)) ?? (await this.#trees.save(new Map()));
    this.#whole = true;
    return id;
  }

  /**
   * Makes the folder what a snapshot says, and nothing else in it. Files that are right already are left alone. Nothing is
   * changed when a folder of the snapshot is missing; any later failure leaves the tree `torn`, until a restore ends.
   */
  async restore(id: SnapshotId): Promise<void> {
    const folders = await this.#trees.loadAll(id);
    const unwritten: Unwritten[] = [];
    this.#whole = false;
    this.#torn = true;
    this.#shape(this.#top, "", id, folders, unwritten);
    await inBatches(unwritten, (file) => this.#write(file));
    this.#torn = false;
    this.#whole = true;
  }

  /** `stat` is the folder's state before this; one that is gone has none. */
  #scan(folder: LiveFolder, path: string, stat: Stats | undefined, unread: Unread[]): void {
    const now = Date.now();
    const known = stat !== undefined && folder.isAs(stat);
    const found = new Map<string, LiveFile | LiveFolder | Leaf>();
    for (const name of known ? folder.entries.keys() : keptNames(this.#absolute(path), path)) {
      const entry = this.#look(folder.entries.get(name), join(path, name), unread);
      if (entry) found.set(name, entry);
    }
    folder.hold(found);
    if (stat && !known) folder.remember(stat, now);
  }

  /** Looks at one path alone; at the first part of it that is new when the folders above it are. */
  #scanAt(path: string, unread: Unread[]): void {
    let folder = this.#top;
    let at = "";
    for (const name of path.split("/")) {
      if (isIgnored(name)) return;
      folder.saved = false;
      at = join(at, name);
      const before = folder.entries.get(name);
      if (at !== path && before instanceof LiveFolder && statOf(this.#absolute(at))?.isDirectory()) {
        folder = before;
        continue;
      }
      const entry = this.#look(before, at, unread);
      if (entry) folder.entries.set(name, entry);
      else folder.entries.delete(name);
      return;
    }
  }

  /** What is at a path: `before` where that is still right, and null for what is not kept. */
  #look(
    before: LiveFile | LiveFolder | Leaf | undefined,
    path: string,
    unread: Unread[],
  ): LiveFile | LiveFolder | Leaf | null {
    const absolute = this.#absolute(path);
    const stat = reachable(absolute, path);
    if (stat?.isFile()) {
      if (before instanceof LiveFile && before.isAs(stat)) return before;
      const file = new LiveFile();
      unread.push({ path, file });
      return file;
    }
    if (stat?.isDirectory()) {
      const folder = before instanceof LiveFolder ? before : new LiveFolder();
      this.#scan(folder, path, stat, unread);
      return folder;
    }
    if (!stat?.isSymbolicLink()) return null;
    const link = { kind: "link", target: this.#keptTarget(keepableTarget(absolute, path)) } as const;
    return before && "kind" in before && sameEntry(before, link) ? before : link;
  }

  async #read({ path, file }: Unread): Promise<void> {
    const now = Date.now();
    const read = readRegularFile(this.#absolute(path), path);
    if (!read) return;
    if (holdsSecret(read.bytes, this.#trees.secrets)) throw new PathError(path, SECRET, { code: "SECRET_IN_FILE" });
    file.remember(await this.#trees.blobs.put(read.bytes), read.stat, now);
  }

  /** The blob of what is kept in a folder, or null when that is nothing. */
  async #save(folder: LiveFolder): Promise<BlobId | null> {
    if (folder.saved) return folder.id;
    const kept = new Map<string, TreeEntry>();
    for (const [name, entry] of folder.entries) {
      if (entry instanceof LiveFolder) {
        const id = await this.#save(entry);
        if (id !== null) kept.set(name, { kind: "folder", sha256: id });
      } else {
        const leaf = entry instanceof LiveFile ? entry.entry : entry;
        if (leaf) kept.set(name, leaf);
      }
    }
    folder.id = kept.size === 0 ? null : await this.#trees.save(kept);
    folder.saved = true;
    return folder.id;
  }

  /** Removes what does not belong, makes folders and links, and notes the files that have to be looked into. */
  #shape(
    live: LiveFolder,
    path: string,
    id: BlobId,
    folders: ReadonlyMap<BlobId, Folder>,
    unwritten: Unwritten[],
  ): void {
    const wanted = folders.get(id)!;
    prune(this.#absolute(path), wanted);
    const entries = new Map<string, LiveFile | LiveFolder | Leaf>();
    for (const [name, entry] of wanted) {
      const [at, before] = [join(path, name), live.entries.get(name)];
      const absolute = this.#absolute(at);
      const stat = this.#fitting(absolute, entry);
      if (entry.kind === "folder") {
        const folder = before instanceof LiveFolder ? before : new LiveFolder();
        if (!stat) mkdirSync(absolute);
        else if ((stat.mode & 0o700) !== 0o700) chmodSync(absolute, (stat.mode | 0o700) & 0o7777);
        entries.set(name, folder);
        this.#shape(folder, at, entry.sha256, folders, unwritten);
      } else if (entry.kind === "link") {
        if (!stat) symlinkSync(this.#liveTarget(entry.target), absolute);
        entries.set(name, entry);
      } else {
        const known = stat && before instanceof LiveFile && before.isAs(stat) ? before : null;
        const file = known && sameEntry(known.entry ?? undefined, entry) ? known : new LiveFile();
        if (file !== known) unwritten.push({ path: at, file, wanted: entry, present: stat !== undefined });
        entries.set(name, file);
      }
    }
    live.hold(entries);
    live.id = id;
    live.saved = true;
  }

  /** What is at a path, if it can stay there for an entry of a snapshot; whatever else is there is removed. */
  #fitting(absolute: string, entry: TreeEntry): Stats | undefined {
    const stat = statOf(absolute);
    if (!stat) return undefined;
    const fits =
      entry.kind === "folder"
        ? stat.isDirectory()
        : entry.kind === "link"
          ? stat.isSymbolicLink() && linkTarget(absolute) === this.#liveTarget(entry.target)
          : stat.isFile() && isPlain(stat);
    if (fits) return stat;
    rmSync(absolute, { recursive: true, force: true });
    return undefined;
  }

  async #write({ path, file, wanted, present }: Unwritten): Promise<void> {
    const absolute = this.#absolute(path);
    const now = Date.now();
    const read = present ? readRegularFile(absolute, path) : null;
    if (read) {
      file.remember(sha256(read.bytes), read.stat, now);
      if (sameEntry(file.entry ?? undefined, wanted)) return;
    }
    const bytes = await this.#trees.blobs.get(wanted.sha256);
    if (present) rmSync(absolute, { force: true });
    writeFileSync(absolute, bytes, { flag: "wx", mode: wanted.executable ? 0o777 : 0o666 });
    file.become(wanted);
  }

  #absolute(path: string): string {
    return path === "" ? this.#root : `${this.#root}/${path}`;
  }

  #keptTarget(target: string): string {
    return this.#rebase ? rebased(target, this.#root, WORKSPACE_ROOT) : target;
  }

  #liveTarget(target: string): string {
    return this.#rebase ? rebased(target, WORKSPACE_ROOT, this.#root) : target;
  }
}

function join(path: string, name: string): string {
  return path === "" ? name : `${path}/${name}`;
}

/** In JavaScript's own numbers, which are much faster to get than big ones and tell times apart to the microsecond. */
function statOf(absolute: string): Stats | undefined {
  return lstatSync(absolute, { throwIfNoEntry: false });
}

/** The same, for what a command may have nested deeper than any path can say. */
function reachable(absolute: string, path: string): Stats | undefined {
  try {
    return statOf(absolute);
  } catch (error) {
    if (!hasCode(error, "ENAMETOOLONG")) throw error;
    throw new PathError(`${path.slice(0, 60)}…`, "cannot be kept: it lies deeper than a path can say. Remove it");
  }
}

function keptNames(folder: string, path: string): string[] {
  const names = namesIn(folder).filter((name) => !isIgnored(name));
  if (names.some((name) => SUSPECT.test(name))) refuseUnkeepable(folder, path);
  return names;
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (hasCode(error, "ENOENT", "ENOTDIR")) return []; // it has just gone
    throw error;
  }
}

/** By the bytes of the names, since one that is no text could look like another. */
function refuseUnkeepable(folder: string, path: string): void {
  Array.from(keepable(entriesOf(folder, path).filter((entry) => !isIgnored(entry.path))));
}

function prune(folder: string, wanted: Folder): void {
  if (namesIn(folder).every((name) => wanted.has(name) && !SUSPECT.test(name))) return;
  for (const { name, problem } of entriesOf(folder, "")) {
    if (!problem && wanted.has(name.toString())) continue;
    rmSync(Buffer.concat([Buffer.from(`${folder}/`), name]), { recursive: true, force: true });
  }
}

/** Whether a file could have been written afresh: of its owner's to change, without special rights, and no one else's. */
function isPlain(stat: Stats): boolean {
  return stat.nlink === 1 && (stat.mode & 0o6600) === 0o600;
}

function rebased(target: string, from: string, to: string): string {
  return target === from || target.startsWith(`${from}/`) ? `${to}${target.slice(from.length)}` : target;
}
