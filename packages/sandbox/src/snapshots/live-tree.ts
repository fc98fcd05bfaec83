import { type BigIntStats, mkdirSync, readlinkSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { type BlobId, type Blobs, PathError } from "@swarm/core";
import { keepableTarget, linkTarget } from "../files/link-target.ts";
import { readRegularFile, statOf } from "../files/open-file.ts";
import { entriesOf, keepable, walk } from "../files/walk.ts";
import { openToOwner, withAccess } from "../files/with-access.ts";
import { resolvePath, WORKSPACE_ROOT } from "../files/workspace-path.ts";
import { sha256 } from "./directory-blobs.ts";
import { isIgnored } from "./ignored.ts";
import { inBatches } from "./in-batches.ts";
import { foldersOf, sameEntry, type Tree, type TreeEntry } from "./tree.ts";

/**
 * How old a file's last change must be when the file is read for its state to vouch for its content from then on. Changes
 * within one tick of the file system's clock look alike, and a tick is at most 10 ms on the systems in use.
 */
const RACY_NS = 20_000_000n;

/**
 * A folder as a tree of files. Remembers what each file's content was for as long as its inode, size, times and mode stay
 * what they were, so that looking at an unchanged folder reads no file. Pipes, sockets and devices are never opened.
 *
 * @param root real path of the folder
 * @param rebase whether links into {@link WORKSPACE_ROOT} must point to `root` on disk; kept ones always say the former
 */
export class LiveTree {
  readonly #root: string;
  readonly #blobs: Blobs;
  readonly #rebase: boolean;
  readonly #known = new Map<string, { state: string; entry: TreeEntry }>();
  #last: Tree | null = null;

  constructor(root: string, blobs: Blobs, options: { rebase: boolean }) {
    this.#root = root;
    this.#blobs = blobs;
    this.#rebase = options.rebase;
  }

  /** The tree as it is now. `touched` names the only paths that can have changed since the last capture or restore. */
  async capture(touched?: readonly string[]): Promise<Tree> {
    const base = touched ? this.#untouched(touched) : null;
    const found = await withAccess(this.#root, async () =>
      base && touched ? await this.#kept(touched.flatMap((path) => this.#below(path))) : await this.#kept(this.#all()),
    );
    this.#last = new Map([...(base ?? []), ...found]);
    for (const path of this.#known.keys()) if (!this.#last.has(path)) this.#known.delete(path);
    return this.#last;
  }

  /** Makes the folder what `tree` says, and nothing else in it. Files that are right already are left alone. */
  async restore(tree: Tree): Promise<void> {
    this.#last = null;
    await withAccess(this.#root, async () => {
      this.#prune("", tree, new Set([...tree.keys()].flatMap(foldersOf)));
      await inBatches([...tree], async ([path, entry]) => {
        const right = this.#isPlain(path) && sameEntry((await this.#look(path, sha256)) ?? undefined, entry);
        if (!right) await this.#write(path, entry);
      });
    });
    this.#last = tree;
  }

  /** What the last tree says of all other paths; null when it is not known, or a path is none that can be looked at. */
  #untouched(touched: readonly string[]): Tree | null {
    if (!this.#last) return null;
    const paths = new Set(touched);
    try {
      for (const path of touched) resolvePath(path, "last", (at) => this.#targetOf(at));
    } catch (error) {
      if (error instanceof PathError) return null;
      throw error;
    }
    const folders = new Set(touched.flatMap(foldersOf));
    const changed = (path: string) =>
      paths.has(path) || folders.has(path) || foldersOf(path).some((at) => paths.has(at));
    return new Map([...this.#last].filter(([path]) => !changed(path)));
  }

  #all(): string[] {
    return Array.from(keepable(walk(this.#root, "", isIgnored)), ({ path }) => path);
  }

  #below(path: string): string[] {
    if (isIgnored(path)) return [];
    if (!statOf(`${this.#root}/${path}`)?.isDirectory()) return [path];
    return Array.from(keepable(walk(`${this.#root}/${path}`, path, isIgnored)), (entry) => entry.path);
  }

  async #kept(paths: readonly string[]): Promise<Map<string, TreeEntry>> {
    const tree = new Map<string, TreeEntry>();
    await inBatches(paths, async (path) => {
      const entry = await this.#look(path, (bytes) => this.#blobs.put(bytes));
      if (entry) tree.set(path, entry);
    });
    return tree;
  }

  /** What is at a path; null for what is not kept. `identify` is called with the content unless it is known already. */
  async #look(path: string, identify: (bytes: Buffer) => BlobId | Promise<BlobId>): Promise<TreeEntry | null> {
    const absolute = `${this.#root}/${path}`;
    const stat = statOf(absolute);
    if (stat?.isSymbolicLink()) return { kind: "link", target: this.#keptTarget(keepableTarget(absolute, path)) };
    if (!stat?.isFile()) return null;
    const known = this.#known.get(path);
    if (known?.state === stateOf(stat)) return known.entry;

    const now = BigInt(Date.now()) * 1_000_000n;
    const read = readRegularFile(absolute);
    if (!read) return null;
    const entry = {
      kind: "file",
      sha256: await identify(read.bytes),
      executable: (read.stat.mode & 0o100n) !== 0n,
    } as const;
    if (now - read.stat.ctimeNs > RACY_NS) this.#known.set(path, { state: stateOf(read.stat), entry });
    return entry;
  }

  /**
   * Whether a file could have been written afresh: of its owner's to change, without special rights, and no one else's. Or a
   * link: one to text.
   */
  #isPlain(path: string): boolean {
    const absolute = `${this.#root}/${path}`;
    const stat = statOf(absolute);
    if (!stat) return false;
    if (stat.isSymbolicLink()) return linkTarget(absolute) !== null;
    return stat.nlink === 1n && (stat.mode & 0o6600n) === 0o600n;
  }

  #prune(folder: string, tree: Tree, folders: ReadonlySet<string>): void {
    const absolute = folder === "" ? this.#root : `${this.#root}/${folder}`;
    openToOwner(absolute);
    for (const entry of entriesOf(absolute, folder)) {
      if (!entry.problem && entry.kind === "directory" && folders.has(entry.path))
        this.#prune(entry.path, tree, folders);
      else if (!entry.problem && tree.get(entry.path)?.kind === entry.kind) continue;
      else rmSync(Buffer.concat([Buffer.from(`${absolute}/`), entry.name]), { recursive: true, force: true });
    }
  }

  async #write(path: string, entry: TreeEntry): Promise<void> {
    const absolute = `${this.#root}/${path}`;
    this.#known.delete(path);
    const bytes = entry.kind === "file" ? await this.#blobs.get(entry.sha256) : null;
    mkdirSync(dirname(absolute), { recursive: true });
    rmSync(absolute, { force: true });
    if (entry.kind === "link") symlinkSync(this.#liveTarget(entry.target), absolute);
    else writeFileSync(absolute, bytes ?? "", { flag: "wx", mode: entry.executable ? 0o777 : 0o666 });
  }

  #targetOf(path: string): string | null {
    const absolute = `${this.#root}/${path}`;
    return statOf(absolute)?.isSymbolicLink() ? readlinkSync(absolute) : null;
  }

  #keptTarget(target: string): string {
    return this.#rebase ? rebased(target, this.#root, WORKSPACE_ROOT) : target;
  }

  #liveTarget(target: string): string {
    return this.#rebase ? rebased(target, WORKSPACE_ROOT, this.#root) : target;
  }
}

function rebased(target: string, from: string, to: string): string {
  return target === from || target.startsWith(`${from}/`) ? `${to}${target.slice(from.length)}` : target;
}

function stateOf({ ino, size, mtimeNs, ctimeNs, mode }: BigIntStats): string {
  return `${ino}:${size}:${mtimeNs}:${ctimeNs}:${mode}`;
}
