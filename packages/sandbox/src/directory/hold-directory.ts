import { randomUUID } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, realpathSync, rmdirSync, rmSync } from "node:fs";
import { join, relative, resolve, sep } from "node:path";
import {
  type HeldDirectory,
  InvalidInputError,
  type Lock,
  makeFolder,
  messageOf,
  SwarmError,
  takeLock,
  WorkspaceBusyError,
} from "@swarm/core";
import { hasCode } from "../files/fs-error.ts";
import { statOf } from "../files/open-file.ts";
import { snapshotsOf } from "../snapshots/blob-snapshots.ts";
import { isIgnored } from "../snapshots/ignored.ts";
import { changesBetween } from "../snapshots/layers.ts";
import type { Trees } from "../snapshots/trees.ts";
import { changeFiles, undoChanges } from "./change-files.ts";

/** In a directory that is held: the lock, and the stage of changes that are under way. It is never part of a snapshot. */
const OWN = ".swarm";
const STAGE = "changes-";
/** What {@link takeLock} leaves when its process is killed amid it. */
const HALF_A_LOCK = /^lock\.(?:takeover\.)?[0-9a-f-]{36}$/;
/** How often a lock is tried for whose folder the last holder removes at the same time. */
const TRIES = 100;

/**
 * Holds a directory by a lock in it, so that everyone who can see the directory sees who holds it, and puts right what a holder
 * left that was killed. `store` is the folder of the blobs, which must not change with every snapshot that is made.
 */
export async function holdDirectory(directory: string, trees: Trees, store: string): Promise<HeldDirectory> {
  const isNew = !existsSync(directory);
  const { root, lock } = usable(directory, () => {
    makeFolder(directory);
    const root = realpathSync(directory);
    refuseStoreIn(root, store);
    return { root, lock: takeOwnLock(root) };
  });
  const snapshots = snapshotsOf(trees);
  let isHeld = true;

  const held: HeldDirectory = {
    tookOver: lock.tookOver,
    async snapshot(options) {
      try {
        return await snapshots.put({ directory: root }, options);
      } catch (error) {
        if (!(error instanceof InvalidInputError)) throw error;
        throw new InvalidInputError("workspace", error.message.slice(`${error.field}: `.length), { cause: error });
      }
    },
    async change(from, to, options) {
      const now = await held.snapshot(options);
      const { snapshot, conflicts } = await snapshots.merge(from, [now, to]);
      if (conflicts.length > 0) return conflicts;
      const stage = join(root, OWN, `${STAGE}${randomUUID()}`);
      await changeFiles(root, stage, await changesBetween(trees, now, snapshot), trees.blobs);
      return [];
    },
    release() {
      if (!isHeld) return;
      isHeld = false;
      lock.release();
      removeIfEmpty(join(root, OWN));
      if (isNew) removeIfEmpty(root);
    },
  };
  try {
    usable(directory, () => putRight(root));
    return held;
  } catch (error) {
    held.release();
    throw error;
  }
}

function takeOwnLock(root: string): Lock {
  const own = join(root, OWN);
  for (let tries = 1; ; tries += 1) {
    try {
      if (!statOf(own)) mkdirSync(own);
      else if (!statOf(own)?.isDirectory())
        throw new InvalidInputError("workspace", `its ${OWN} is no folder; remove it`);
      return takeLock(join(own, "lock"), (holder) => new WorkspaceBusyError(root, holder));
    } catch (error) {
      if (!hasCode(error, "ENOENT", "EEXIST") || tries === TRIES) throw error;
    }
  }
}

function putRight(root: string): void {
  const own = join(root, OWN);
  for (const name of readdirSync(own)) {
    if (HALF_A_LOCK.test(name)) rmSync(join(own, name), { force: true });
    else if (name.startsWith(STAGE)) undoChanges(root, join(own, name));
  }
}

function refuseStoreIn(root: string, store: string): void {
  const path = relative(root, resolve(store));
  if (path.split(sep)[0] === ".." || isIgnored(path)) return;
  throw new InvalidInputError(
    "workspace",
    `holds the sandbox's store ${store}; keep it elsewhere, or below ${OWN} in it`,
  );
}

/** What the system says of a directory that cannot be used, as what is wrong with the caller's choice. */
function usable<T>(directory: string, use: () => T): T {
  try {
    return use();
  } catch (cause) {
    if (cause instanceof SwarmError) throw cause;
    const problem = `${directory} cannot be used (${messageOf(cause)}); name a folder that can be written to`;
    throw new InvalidInputError("workspace", problem, { cause });
  }
}

function removeIfEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch (error) {
    if (!hasCode(error, "ENOTEMPTY", "EEXIST", "ENOENT")) throw error;
  }
}
