import type { Stats } from "node:fs";
import type { BlobId } from "@swarm/core";
import type { Leaf } from "./tree.ts";

/**
 * How old a file's last change must be when the file is read for its state to vouch for its content from then on, in
 * milliseconds. Changes within one tick of the file system's clock look alike: at most 10 ms on the systems in use, and up to
 * two seconds where times are kept in whole seconds.
 */
const RACY_MS = 20;
const RACY_IN_WHOLE_SECONDS_MS = 2_000;

/** A file of a live folder, and what its content is known to be. */
export class LiveFile {
  entry: (Leaf & { kind: "file" }) | null = null;
  #state: Stats | null = null;

  /** Whether the file is sure to have the content of `entry`. Who changes a file cannot choose its `ctime`. */
  isAs(stat: Stats): boolean {
    const state = this.#state;
    return (
      state !== null &&
      state.ctimeMs === stat.ctimeMs &&
      state.mtimeMs === stat.mtimeMs &&
      state.size === stat.size &&
      state.ino === stat.ino &&
      state.mode === stat.mode
    );
  }

  /** What was read from the file: `stat` is its state before that, and `now` a time before both. */
  remember(sha256: BlobId, stat: Stats, now: number): void {
    const racy = stat.ctimeMs % 1_000 === 0 ? RACY_IN_WHOLE_SECONDS_MS : RACY_MS;
    this.entry = { kind: "file", sha256, executable: (stat.mode & 0o100) !== 0 };
    this.#state = now - stat.ctimeMs > racy ? stat : null;
  }

  /** What has just been written to the file, which is too young for its state to vouch for it. */
  become(entry: Leaf & { kind: "file" }): void {
    this.entry = entry;
    this.#state = null;
  }
}

/** A folder of a live folder. `id` is the blob of what is kept in it, null for nothing, and right as long as `saved` is. */
export class LiveFolder {
  entries = new Map<string, LiveFile | LiveFolder | Leaf>();
  id: BlobId | null = null;
  saved = false;

  /** Takes what was found, and sees whether it is what was there before. */
  hold(found: Map<string, LiveFile | LiveFolder | Leaf>): void {
    const same = ([name, entry]: [string, LiveFile | LiveFolder | Leaf]) =>
      this.entries.get(name) === entry && !(entry instanceof LiveFolder && !entry.saved);
    this.saved &&= found.size === this.entries.size && [...found].every(same);
    this.entries = found;
  }
}
