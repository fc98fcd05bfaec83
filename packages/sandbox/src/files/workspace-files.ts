import { randomUUID } from "node:crypto";
import { chmodSync, linkSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { NotFoundError, PathError, type WorkspaceEntry } from "@swarm/core";
import { hasCode } from "./fs-error.ts";
import { heldFolder, inFolder } from "./held.ts";
import { linkTarget } from "./link-target.ts";
import { readRegularFile, statOf } from "./open-file.ts";
import { removeEntry } from "./remove-entry.ts";
import { entriesOf, type FoundEntry } from "./walk.ts";
import { openToOwner } from "./with-access.ts";
import { type LinkRule, resolvePath, WORKSPACE_ROOT } from "./workspace-path.ts";

/** Bytes of the largest file that is given out. */
export const LARGEST_READ = 64 * 1024 * 1024;

/** A name in a folder that is held open. */
type Place = { folder: string; name: string };

/**
 * The files of one folder by workspace path. Whatever links a command left there, nothing outside of the folder is read,
 * written or even asked for. A path's links are resolved step by step and never past the folder's edge; what comes of that is
 * gone to through held folders, none of which may be a link. On Linux that is so while another process puts links in the
 * place of folders, too; elsewhere as long as none does, which is why a workspace kills what a command leaves behind.
 */
export class WorkspaceFiles {
  readonly #root: string;

  /** @param root real path of the folder */
  constructor(root: string) {
    this.#root = root;
  }

  list(directory: string, recursive: boolean): WorkspaceEntry[] {
    const real = this.folder(directory);
    const prefix = isRoot(directory) ? "" : directory;
    const list = () => inFolder(this.#root, real, (folder) => entriesIn(folder, prefix, recursive));
    return unchanged(directory, list).sort((a, b) => (a.path < b.path ? -1 : 1));
  }

  read(path: string): Uint8Array {
    return this.#at(path, "follow", (place) => {
      const read = readRegularFile(absolute(place), path, LARGEST_READ);
      if (!read) throw kindAt(place) === null ? notThere(path) : notAFile(path, place);
      return read.bytes;
    });
  }

  write(path: string, data: string | Uint8Array, { onlyNew = false } = {}): void {
    this.#at(path, "refuse", (place) => writeAt(place, path, data, onlyNew), { make: true });
  }

  /** Removes a file, a link (not what it leads to) or a folder with all in it. */
  remove(path: string): void {
    this.#at(path, "last", ({ folder, name }) => removeEntry(folder, name));
  }

  /** The path of a folder without links, `""` for the root. */
  folder(path: string): string {
    if (isRoot(path)) return "";
    const real = this.#resolve(path, "follow");
    if (real === "") return "";
    const kind = this.#go(path, real, (place) => kindAt(place));
    if (kind === null) throw notThere(path);
    if (kind !== "a folder") throw new PathError(path, `is ${kind}, not a folder`);
    return real;
  }

  /** The same, with that folder and those on the way to it open to their owner. */
  openFolder(path: string): string {
    const real = this.folder(path);
    const names = real === "" ? [] : real.split("/");
    for (const index of names.keys()) {
      this.#go(path, names.slice(0, index + 1).join("/"), (place) => openToOwner(absolute(place)));
    }
    return real;
  }

  #at<T>(path: string, rule: LinkRule, use: (place: Place) => T, options: { make?: boolean } = {}): T {
    const real = this.#resolve(path, rule);
    if (real === "") throw new PathError(path, "is the workspace itself");
    return this.#go(path, real, use, options);
  }

  #go<T>(path: string, real: string, use: (place: Place) => T, options: { make?: boolean } = {}): T {
    const { folder, name } = parted(real);
    const go = () => inFolder(this.#root, folder, (held) => use({ folder: held, name }), options);
    return unchanged(path, go);
  }

  #resolve(path: string, rule: LinkRule): string {
    return resolvePath(path, rule, (at) => this.#targetOf(at, path), [WORKSPACE_ROOT, this.#root]);
  }

  #targetOf(at: string, path: string): string | null {
    const { folder, name } = parted(at);
    try {
      return inFolder(this.#root, folder, (held) => utf8Target(absolute({ folder: held, name }), path));
    } catch (error) {
      if (hasCode(error, "EINVAL", "ENOENT", "ENOTDIR")) return null; // EINVAL: it is no link
      throw error;
    }
  }
}

function absolute({ folder, name }: Place): string {
  return `${folder}/${name}`;
}

function parted(real: string): Place {
  const slash = real.lastIndexOf("/");
  return { folder: real.slice(0, Math.max(slash, 0)), name: real.slice(slash + 1) };
}

function isRoot(path: string): boolean {
  return path === "" || path === ".";
}

/** Folders of a path that are missing, or are none, by the time they are gone through. */
function unchanged<T>(path: string, use: () => T): T {
  try {
    return use();
  } catch (error) {
    if (hasCode(error, "ENOENT")) throw notThere(path);
    if (hasCode(error, "ENOTDIR")) throw new PathError(path, "lies below a file or a link, and those hold no others");
    throw error;
  }
}

function writeAt(place: Place, path: string, data: string | Uint8Array, onlyNew: boolean): void {
  const target = absolute(place);
  const stat = statOf(target);
  if (stat && !stat.isFile()) throw notAFile(path, place);
  if (stat && onlyNew) throw isThere(path);
  // Beside it and renamed: a hard link to the old file keeps the old bytes, and nobody sees half a file.
  const temporary = `${place.folder}/.swarm-${randomUUID()}`;
  try {
    writeFileSync(temporary, data, { flag: "wx", mode: 0o666 });
    if (stat) chmodSync(temporary, Number(stat.mode & 0o777n));
    if (onlyNew) linkSync(temporary, target);
    else renameSync(temporary, target);
  } catch (error) {
    throw hasCode(error, "EEXIST") ? isThere(path) : error;
  } finally {
    rmSync(temporary, { force: true });
  }
}

function entriesIn(folder: string, prefix: string, recursive: boolean): WorkspaceEntry[] {
  return entriesOf(folder, prefix).flatMap((entry) => {
    const described = describe(folder, entry);
    if (!described) return [];
    return [described, ...(recursive && entry.kind === "directory" ? entriesBelow(folder, entry) : [])];
  });
}

function entriesBelow(folder: string, { name, path }: FoundEntry): WorkspaceEntry[] {
  try {
    return heldFolder(`${folder}/${name}`, (below) => entriesIn(below, path, true));
  } catch (error) {
    if (hasCode(error, "ENOENT", "ENOTDIR")) return []; // it has just gone
    throw error;
  }
}

/** Null for what is no file, folder or link, for what no path can name, and for what has just gone. */
function describe(folder: string, { path, kind, problem, name }: FoundEntry): WorkspaceEntry | null {
  if (kind === "other" || problem) return null;
  const stat = statOf(`${folder}/${name}`);
  return stat && { path, kind, size: kind === "directory" ? 0 : Number(stat.size) };
}

function utf8Target(link: string, path: string): string {
  const target = linkTarget(link);
  if (target === null) throw new PathError(path, "goes through a link to a name that is not UTF-8");
  return target;
}

function kindAt(place: Place): string | null {
  const stat = statOf(absolute(place));
  if (!stat) return null;
  if (stat.isDirectory()) return "a folder";
  if (stat.isSymbolicLink()) return "a link";
  return stat.isFile() ? "a file" : "a pipe, socket or device";
}

function notAFile(path: string, place: Place): PathError {
  return new PathError(path, `is ${kindAt(place)}, not a file`);
}

function isThere(path: string): PathError {
  return new PathError(path, "is there already", { code: "FILE_EXISTS" });
}

function notThere(path: string): NotFoundError {
  return new NotFoundError(`${JSON.stringify(path)} in the workspace`);
}
