import {
  type Blobs,
  type Files,
  FilesSchema,
  InvalidInputError,
  messageOf,
  PathError,
  type TaskSource,
  TaskSourceSchema,
} from "@swarm/core";
import { folderAt } from "../files/folder-at.ts";
import { hasCode } from "../files/fs-error.ts";
import { keepableTarget } from "../files/link-target.ts";
import { readRegularFile } from "../files/open-file.ts";
import { keepable, walk } from "../files/walk.ts";
import { revisionTree } from "./git-revision.ts";
import { isIgnored } from "./ignored.ts";
import { inBatches } from "./in-batches.ts";
import { firstClash, type Leaf, type Tree } from "./tree.ts";

/** The files of a task's source. Rejects with an {@link InvalidInputError} that names the field of the source at fault. */
export async function sourceTree(source: TaskSource, blobs: Pick<Blobs, "put">): Promise<Tree> {
  if ("files" in source) return await filesTree(source.files, blobs);
  if (!TaskSourceSchema.safeParse(source).success) {
    throw new InvalidInputError("source", "is none; give files, a directory, or a repository and a revision");
  }
  if ("directory" in source) return await directoryTree(source.directory, blobs);
  return await revisionTree(source.repository, source.revision, blobs);
}

async function filesTree(files: Files, blobs: Pick<Blobs, "put">): Promise<Tree> {
  const [issue] = FilesSchema.safeParse(files).error?.issues ?? [];
  if (issue) throw new InvalidInputError(`source.files[${JSON.stringify(issue.path[0] ?? "")}]`, issue.message);
  const tree = new Map<string, Leaf>();
  for (const [path, content] of Object.entries(files)) {
    const field = `source.files[${JSON.stringify(path)}]`;
    if (!path.isWellFormed()) throw new InvalidInputError(field, "the path is not well-formed Unicode");
    if (isIgnored(path)) throw new InvalidInputError(field, "is never part of a snapshot (see IGNORED); leave it out");
    const bytes = typeof content === "string" ? Buffer.from(content) : Buffer.from(content.base64, "base64");
    const executable = typeof content !== "string" && content.executable === true;
    tree.set(path, { kind: "file", sha256: await blobs.put(bytes), executable });
  }
  const clash = firstClash(tree);
  if (clash) throw new InvalidInputError(`source.files[${JSON.stringify(clash)}]`, "is a file and a folder at once");
  return tree;
}

async function directoryTree(directory: string, blobs: Pick<Blobs, "put">): Promise<Tree> {
  const root = await folderAt(directory);
  if (root === null) throw new InvalidInputError("source.directory", `there is no folder ${JSON.stringify(directory)}`);
  const tree = new Map<string, Leaf>();
  try {
    await inBatches([...keepable(walk(root, "", isIgnored))], async ({ path, kind }) => {
      const entry = kind === "link" ? linkAt(root, path) : await fileAt(`${root}/${path}`, path, blobs);
      if (entry) tree.set(path, entry);
    });
  } catch (error) {
    if (!(error instanceof PathError) && !hasCode(error, "EACCES")) throw error;
    throw new InvalidInputError("source.directory", messageOf(error), { cause: error });
  }
  return tree;
}

function linkAt(root: string, path: string): Leaf {
  return { kind: "link", target: keepableTarget(`${root}/${path}`, path) };
}

async function fileAt(absolute: string, path: string, blobs: Pick<Blobs, "put">): Promise<Leaf | null> {
  const read = readRegularFile(absolute, path);
  if (!read) return null;
  return { kind: "file", sha256: await blobs.put(read.bytes), executable: (read.stat.mode & 0o100) !== 0 };
}
