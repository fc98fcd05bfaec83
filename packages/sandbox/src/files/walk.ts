import { type Dirent, readdirSync } from "node:fs";
import { PathError, workspacePathProblem } from "@swarm/core";
import { escapeBytes } from "./escape-bytes.ts";
import { hasCode } from "./fs-error.ts";

export type FoundEntry = {
  path: string;
  kind: "file" | "directory" | "link" | "other";
  /** Why no workspace path can name the entry, or null. `path` is then only good for a message. */
  problem: string | null;
  /** Its name as it is on disk, whatever its bytes. */
  name: Buffer;
};

const MEND = 'Remove it, or rename it with letters, digits, ".", "_" and "-"';

/** Entries of one folder in no order; none when it has just gone. `prefix` is the folder's workspace path, or empty. */
export function entriesOf(folder: string, prefix: string): FoundEntry[] {
  let found: Dirent<Buffer>[];
  try {
    found = readdirSync(folder, { encoding: "buffer", withFileTypes: true });
  } catch (error) {
    if (hasCode(error, "ENOENT", "ENOTDIR")) return [];
    throw error;
  }
  return found.map((entry) => {
    const path = `${prefix}${prefix && "/"}${entry.name}`;
    const mangled = path.includes("\uFFFD") && !Buffer.from(entry.name.toString()).equals(entry.name);
    return {
      path,
      kind: kindOf(entry),
      problem: mangled ? `has a name that is not UTF-8 (${escapeBytes(entry.name)})` : workspacePathProblem(path),
      name: entry.name,
    };
  });
}

/** Everything below a folder, links not followed, each folder before what is in it. `skip` leaves a subtree out. */
export function* walk(folder: string, prefix: string, skip: (path: string) => boolean): Generator<FoundEntry> {
  for (const entry of entriesOf(folder, prefix)) {
    if (skip(entry.path)) continue;
    yield entry;
    if (entry.kind === "directory" && !entry.problem) yield* walk(`${folder}/${entry.name}`, entry.path, skip);
  }
}

/** Files and links to keep. Refuses one whose name could not be kept: to mangle it or leave it out would lose it unseen. */
export function* keepable(entries: Iterable<FoundEntry>): Generator<FoundEntry> {
  for (const entry of entries) {
    if (entry.kind === "other") continue;
    if (entry.problem) throw new PathError(entry.path, `cannot be kept: it ${entry.problem}. ${MEND}`);
    if (entry.kind !== "directory") yield entry;
  }
}

function kindOf(entry: Dirent<Buffer>): FoundEntry["kind"] {
  if (entry.isFile()) return "file";
  if (entry.isDirectory()) return "directory";
  return entry.isSymbolicLink() ? "link" : "other";
}
