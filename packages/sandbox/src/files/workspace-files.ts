import { randomUUID } from "node:crypto";
import { chmodSync, mkdirSync, readlinkSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { NotFoundError, PathError, type WorkspaceEntry } from "@swarm/core";
import { hasCode } from "./fs-error.ts";
import { readRegularFile, statOf } from "./open-file.ts";
import { entriesOf, type FoundEntry, walk } from "./walk.ts";
import { type LinkRule, resolvePath, WORKSPACE_ROOT } from "./workspace-path.ts";

/**
 * The files of one folder by workspace path. Whatever links a command left there, nothing outside of the folder is read,
 * written or even asked for: every path is resolved step by step at the moment of its use. This holds as long as no
 * process changes the folder meanwhile, which is why a workspace kills what a command leaves behind.
 */
export class WorkspaceFiles {
  readonly #root: string;

  /** @param root real path of the folder */
  constructor(root: string) {
    this.#root = root;
  }

  list(directory: string, recursive: boolean): WorkspaceEntry[] {
    const real = this.folder(directory);
    const folder = this.#absolute(real);
    const prefix = isRoot(directory) ? "" : directory;
    const found = recursive ? walk(folder, prefix, () => false) : entriesOf(folder, prefix);
    const entries = Array.from(found).flatMap((entry) => this.#described(entry, prefix, real));
    return entries.sort((a, b) => (a.path < b.path ? -1 : 1));
  }

  read(path: string): Uint8Array {
    const absolute = this.#existing(path, "follow");
    const read = readRegularFile(absolute);
    if (!read) throw new PathError(path, `is ${kindAt(absolute)}, not a file`);
    return read.bytes;
  }

  write(path: string, data: string | Uint8Array): void {
    const absolute = this.#absolute(this.#resolve(path, "refuse"));
    const stat = statOf(absolute);
    if (stat && !stat.isFile()) throw new PathError(path, `is ${kindAt(absolute)}, not a file`);
    makeFolder(dirname(absolute), path);
    // Beside it and renamed: a hard link to the old file keeps the old bytes, and nobody sees half a file.
    const temporary = `${dirname(absolute)}/.swarm-${randomUUID()}`;
    try {
      writeFileSync(temporary, data, { flag: "wx", mode: 0o666 });
      if (stat) chmodSync(temporary, Number(stat.mode & 0o777n));
      renameSync(temporary, absolute);
    } catch (error) {
      rmSync(temporary, { force: true });
      throw error;
    }
  }

  /** Removes a file, a link (not what it leads to) or a folder with all in it. */
  remove(path: string): void {
    rmSync(this.#existing(path, "last"), { recursive: true });
  }

  /** The path of a folder without links, `""` for the root. */
  folder(path: string): string {
    if (isRoot(path)) return "";
    const absolute = this.#existing(path, "follow");
    if (!statOf(absolute)?.isDirectory()) throw new PathError(path, `is ${kindAt(absolute)}, not a folder`);
    return absolute.slice(this.#root.length + 1);
  }

  #existing(path: string, rule: LinkRule): string {
    const absolute = this.#absolute(this.#resolve(path, rule));
    if (!statOf(absolute)) throw new NotFoundError(`${JSON.stringify(path)} in the workspace`);
    return absolute;
  }

  #resolve(path: string, rule: LinkRule): string {
    const targetOf = (at: string) => {
      const absolute = this.#absolute(at);
      return statOf(absolute)?.isSymbolicLink() ? readlinkSync(absolute) : null;
    };
    return resolvePath(path, rule, targetOf, [WORKSPACE_ROOT, this.#root]);
  }

  #absolute(real: string): string {
    return real === "" ? this.#root : `${this.#root}/${real}`;
  }

  /** Nothing for what is no file, folder or link, for what no path can name, and for what has just gone. */
  #described({ path, kind, problem }: FoundEntry, prefix: string, real: string): WorkspaceEntry[] {
    if (kind === "other" || problem) return [];
    const below = prefix === "" ? path : path.slice(prefix.length + 1);
    const stat = statOf(this.#absolute(real === "" ? below : `${real}/${below}`));
    return stat ? [{ path, kind, size: kind === "directory" ? 0 : Number(stat.size) }] : [];
  }
}

function isRoot(path: string): boolean {
  return path === "" || path === ".";
}

function makeFolder(absolute: string, path: string): void {
  try {
    mkdirSync(absolute, { recursive: true });
  } catch (error) {
    if (hasCode(error, "ENOTDIR", "EEXIST")) throw new PathError(path, "lies below a file; a file holds no others");
    throw error;
  }
}

function kindAt(absolute: string): string {
  const stat = statOf(absolute);
  if (stat?.isDirectory()) return "a folder";
  return stat?.isFile() ? "a file" : "a pipe, socket or device";
}
