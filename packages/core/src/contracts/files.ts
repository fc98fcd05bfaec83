import { z } from "zod";
import type { Schema } from "./json.ts";

/** Content address (sha-256, hex) of a tree of files in {@link Snapshots}. */
export type SnapshotId = string;
/** Content address (sha-256, hex) of bytes in {@link Blobs}. */
export type BlobId = string;

/**
 * Workspace files that a program loaded as its code, and the content of each at that moment: what the machine saw, not what
 * anyone said. Of a file that it loaded twice, the last content.
 */
export type Loaded = Record<string, BlobId>;

/** Files by workspace path: text, or bytes in base64 where text will not do or the file is executable. */
export type Files = Record<string, string | { base64: string; executable?: boolean }>;

/**
 * Why `path` is no workspace path, or null when it is one. A workspace path is relative, uses `/`, has no empty, `.` or
 * `..` segment, no backslash, no NUL and no drive letter, so that it cannot name anything outside of the workspace.
 */
export function workspacePathProblem(path: string): string | null {
  if (path === "") return "is empty";
  if (path.includes("\0")) return "holds a NUL character";
  if (path.includes("\\")) return "holds a backslash; separate folders with /";
  if (path.startsWith("/") || /^[A-Za-z]:/.test(path)) return "is absolute; workspace paths are relative";
  const segments = path.split("/");
  if (segments.includes("..")) return "leaves the workspace (..)";
  if (segments.some((segment) => segment === "" || segment === ".")) return "has an empty or . segment";
  return null;
}

export const SnapshotIdSchema: Schema<SnapshotId> = z.string().min(1);
export const BlobIdSchema: Schema<BlobId> = z.string().min(1);

export const LoadedSchema: Schema<Loaded> = z.record(z.string(), BlobIdSchema);

export const WorkspacePathSchema: Schema<string> = z.string().check((context) => {
  const problem = workspacePathProblem(context.value);
  if (problem) {
    context.issues.push({
      code: "custom",
      message: `path ${JSON.stringify(context.value)} ${problem}`,
      input: context.value,
    });
  }
});

const contentSchema = z.union([
  z.string(),
  z.strictObject({ base64: z.base64(), executable: z.boolean().exactOptional() }),
]);

export const FilesSchema: Schema<Files> = z.record(z.string(), contentSchema).check((context) => {
  for (const path of Object.keys(context.value)) {
    const problem = workspacePathProblem(path);
    if (problem) {
      context.issues.push({
        code: "custom",
        path: [path],
        message: `path ${JSON.stringify(path)} ${problem}`,
        input: path,
      });
    }
  }
});
