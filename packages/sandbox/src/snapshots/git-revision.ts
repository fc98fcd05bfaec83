import { isUtf8 } from "node:buffer";
import { dirname } from "node:path";
import { type Blobs, InvalidInputError, workspacePathProblem } from "@swarm/core";
import { folderAt } from "../files/folder-at.ts";
import { ByteReader } from "./byte-reader.ts";
import { GitError, git, streamGit } from "./git.ts";
import { isIgnored } from "./ignored.ts";
import type { Leaf, Tree } from "./tree.ts";

/**
 * The files of one revision as they are committed, and nothing else: no history, no working copy, no filters. Submodules
 * are left out, as they are by a plain clone.
 */
export async function revisionTree(repository: string, revision: string, blobs: Pick<Blobs, "put">): Promise<Tree> {
  const cwd = await rootOf(repository);
  const options = { cwd, ceiling: dirname(cwd) };
  const id = await treeOf(repository, revision, options);
  const listing = (await git(["ls-tree", "-r", "-z", "--full-tree", id], options)).toString("latin1");
  const files = listing
    .split("\0")
    .filter(Boolean)
    .map(parseLine)
    .filter(({ mode, path }) => mode !== "160000" && !isIgnored(path));
  const tree = new Map<string, Leaf>();
  const input = [Buffer.from(files.map(({ object }) => `${object}\n`).join(""))];
  await streamGit(["cat-file", "--batch"], { ...options, input }, async (output) => {
    let at = 0;
    for await (const bytes of objectsIn(output)) {
      const file = files[at++]!;
      tree.set(file.path, await entryOf(file, bytes, blobs));
    }
  });
  return tree;
}

async function rootOf(repository: string): Promise<string> {
  const root = await folderAt(repository);
  if (root === null)
    throw new InvalidInputError("source.repository", `there is no folder ${JSON.stringify(repository)}`);
  return root;
}

/** Asks over standard input, where nothing is ever read as an option. */
async function treeOf(
  repository: string,
  revision: string,
  options: { cwd: string; ceiling: string },
): Promise<string> {
  const input = [Buffer.from(`${revision}^{tree}\n`)];
  const answer = /\n|\0/.test(revision)
    ? ""
    : await git(["cat-file", "--batch-check=%(objectname) %(objecttype)"], { ...options, input }).then(
        String,
        (error) => {
          if (!(error instanceof GitError)) throw error;
          const message = `${JSON.stringify(repository)} is not the root of a git repository (${error.message})`;
          throw new InvalidInputError("source.repository", message, { cause: error });
        },
      );
  const [, id] = /^([0-9a-f]{40,64}) tree\n$/.exec(answer) ?? [];
  if (id) return id;
  const message = `${JSON.stringify(repository)} has no revision ${JSON.stringify(revision)}; name a commit, branch or tag`;
  throw new InvalidInputError("source.revision", message);
}

function parseLine(line: string): { mode: string; object: string; path: string } {
  const tab = line.indexOf("\t");
  const [mode = "", , object = ""] = line.slice(0, tab).split(" ");
  const name = Buffer.from(line.slice(tab + 1), "latin1");
  const path = name.toString();
  const problem = Buffer.from(path).equals(name) ? workspacePathProblem(path) : "is not UTF-8";
  if (problem) throw unkeepable(path, `its name ${problem}`);
  return { mode, object, path };
}

async function entryOf(
  { mode, path }: { mode: string; path: string },
  bytes: Buffer,
  blobs: Pick<Blobs, "put">,
): Promise<Leaf> {
  if (mode === "120000") {
    if (!isUtf8(bytes)) throw unkeepable(path, "it links to a name that is not UTF-8");
    return { kind: "link", target: bytes.toString() };
  }
  return { kind: "file", sha256: await blobs.put(bytes), executable: mode === "100755" };
}

function unkeepable(path: string, problem: string): InvalidInputError {
  return new InvalidInputError("source.revision", `the file ${JSON.stringify(path)} cannot be kept: ${problem}`);
}

/** The objects in the output of `cat-file --batch`: a line that ends with the size, that many bytes, a line end. */
async function* objectsIn(output: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const reader = new ByteReader(output);
  for (;;) {
    const header = await reader.line();
    if (header === null) return;
    const size = / blob (\d+)$/.exec(header)?.[1];
    if (size === undefined) throw new GitError(`git cat-file failed: ${header}`);
    yield await reader.take(Number(size));
    await reader.take(1);
  }
}
