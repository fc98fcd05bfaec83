import { type BlobId, BlobIdSchema, PathError, type Schema, type StepContext, sha256 } from "@swarm/core";
import { z } from "zod";

/**
 * A file of a coder's work as it is on disk. It is `verified` when a command or test run that ended well loaded it as it is now:
 * by what the machine saw of the run, so that neither a model's word nor a run before its last change counts.
 */
export type CodeFile = { path: string; sha256: BlobId; verified: boolean };

export const CodeFileSchema: Schema<CodeFile> = z.strictObject({
  path: z.string(),
  sha256: BlobIdSchema,
  verified: z.boolean(),
});

/**
 * The files that the attempt has changed, read back from disk, sorted by path, and those of `earlier` steps that are still there. A file
 * that was verified `earlier` is so as long as it is the same. A link that leads out of the workspace is no code.
 */
export async function codeOf(
  { files, executions }: Pick<StepContext, "files" | "executions">,
  earlier: readonly CodeFile[] = [],
): Promise<CodeFile[]> {
  const there = new Set(await files.list());
  const changed = (await files.changes()).map(({ path }) => path);
  const paths = new Set([...changed, ...earlier.map(({ path }) => path)].filter((path) => there.has(path)));
  const known = new Set(earlier.filter(({ verified }) => verified).map(keyOf));
  for (const { ok, loaded } of executions) {
    if (ok) for (const [path, hash] of Object.entries(loaded)) known.add(keyOf({ path, sha256: hash }));
  }
  const code: CodeFile[] = [];
  for (const path of [...paths].sort()) {
    const content = await files.read(path).catch((error) => {
      if (error instanceof PathError) return null;
      throw error;
    });
    if (content === null) continue;
    const file = { path, sha256: sha256(content) };
    code.push({ ...file, verified: known.has(keyOf(file)) });
  }
  return code;
}

function keyOf({ path, sha256 }: Pick<CodeFile, "path" | "sha256">): string {
  return `${sha256} ${path}`;
}
