import type { Stats } from "node:fs";
import type { BlobId } from "@swarm/core";
import type { Leaf } from "./tree.ts";

/**
 * How old the last change must be of what is looked at for its state to vouch for it from then on, in
 * milliseconds. Changes within one tick of the file system's clock look alike: at most 10 ms on the systems in use, and up to
 * two seconds where times are kept in whole seconds.
 */
const RACY_MS = 20;
const RACY_IN_WHOLE_SECONDS_MS = 2_000;

/** What a file or folder was when it was looked into. Who changes one cannot choose its `ctime`. */
class KnownState {
  #stat: Stats | null = null;

  /** Whether what was found then is sure to be there still. */
  isAs(stat: Stats): boolean {
    const known = this.#stat;
    return (
      known !== null &&
      known.ctimeMs === stat.ctimeMs &&
      known.mtimeMs === stat.mtimeMs &&
      known.size === stat.size &&
      known.ino === stat.ino &&
      known.mode === stat.mode
    );
  }

  /** `stat` is the state before it was looked into, and `now` a time before that. */
  remember(stat: Stats, now: number): void {
    const racy = stat.ctimeMs % 1_000 === 0 ? RACY_IN_WHOLE_SECONDS_MS : RACY_MS;
    this.#stat = now - stat.ctimeMs > racy ? stat : null;
  }

  forget(): void {
    this.#stat = null;
  }
}

/** A file of a live folder, and what its content is known to be. */
export class LiveFile {
  entry: (Leaf & { kind: "file" }) | null = null;
  readonly #state = new KnownState();

  /** Whether the file is sure to have the content of `entry`. */
  isAs(stat: Stats): boolean {
    return this.#state.isAs(stat);
  }

  /** What was read from the file: `stat` is its state before that, and `now` a time before it was read. */
  remember(sha256: BlobId, stat: Stats, now: number): void {
    this.entry = { kind: "file", sha256, executable: (stat.mode & 0o100) !== 0 };
    this.#state.remember(stat, now);
  }

  /** What has just been written to the file, which is too young for its state to vouch for it. */
  become(entry: Leaf & { kind: "file" }): void {
    this.entry = entry;
    this.#state.forget();
  }
}

/** A folder of a live folder. `id` is the blob of what is kept in it, null for nothing, and right as long as `saved` is. */
export class LiveFolder {
  entries = new Map<string, LiveFile | LiveFolder | Leaf>();
  id: BlobId | null = null;
  saved = false;
  readonly #state = new KnownState();

  /** Whether the folder is sure to have the names of `entries` still, and no others that are kept. */
  isAs(stat: Stats): boolean {
    return this.#state.isAs(stat);
  }

  /** Takes what was found, and sees whether it is what was there before. */
  hold(found: Map<string, LiveFile | LiveFolder | Leaf>): void {
    const same = ([name, entry]: [string, LiveFile | LiveFolder | Leaf]) =>
      this.entries.get(name) === entry && !(entry instanceof LiveFolder && !entry.saved);
    this.saved &&= found.size === this.entries.size && [...found].every(same);
    this.entries = found;
  }

  /** That `entries` are what was found: `stat` is the folder's state before that, and `now` a time before its names were read. */
  remember(stat: Stats, now: number): void {
    this.#state.remember(stat, now);
  }
}
