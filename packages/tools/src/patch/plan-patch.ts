import type { Workspace } from "@swarm/core";
import { type Bytes, textOfBytes } from "../text/bytes.ts";
import { isMendable, ToolError } from "../tool-error.ts";
import { isExecutable } from "../workspace/executable.ts";
import { kindOf } from "../workspace/kind-of.ts";
import { readBytes } from "../workspace/read-bytes.ts";
import { type Applied, applyHunks } from "./apply-hunks.ts";
import { type FilePatch, oldSide } from "./patch.ts";
import { reportOn } from "./report.ts";

/** All that a patch comes to, worked out before anything is written. */
export type Plan = {
  removes: string[];
  writes: { path: string; content: Bytes; executable: boolean | null }[];
  /** For the model: what was done to each file. */
  report: string[];
};

/**
 * Works out a patch against a workspace and changes nothing. Every part of it speaks of the files as they are now, so files
 * may change names with each other. Throws a {@link ToolError} that names the file, its place in the patch, and the hunk.
 */
export async function planPatch(workspace: Workspace, patch: readonly FilePatch[], signal: AbortSignal): Promise<Plan> {
  const files = joinUpdates(patch);
  const leaving = new Set(files.filter((file) => file.to !== file.from && !file.keep).map(({ from }) => from));
  const plan: Plan = { removes: [], writes: [], report: [] };
  for (const [index, file] of files.entries()) {
    try {
      await planFile(workspace, file, { plan, leaving, signal });
    } catch (error) {
      if (!isMendable(error)) throw error;
      const which = `file ${index + 1} of ${files.length} (${file.from ?? file.to}), `;
      throw new ToolError(error.code, `${which}${error.message}`, { cause: error });
    }
  }
  return plan;
}

/** Two parts that update one file are one: the hunks of both speak of the file as it is. */
function joinUpdates(patch: readonly FilePatch[]): FilePatch[] {
  const files: FilePatch[] = [];
  for (const file of patch) {
    const earlier = files.find(({ from, to }) => from === file.from && to === file.to && from === to);
    if (!earlier) files.push({ ...file });
    else {
      earlier.hunks = [...earlier.hunks, ...file.hunks];
      earlier.executable = file.executable ?? earlier.executable;
    }
  }
  return files;
}

type Planning = { plan: Plan; leaving: ReadonlySet<string | null>; signal: AbortSignal };

async function planFile(workspace: Workspace, file: FilePatch, { plan, leaving, signal }: Planning): Promise<void> {
  const { from, to, hunks } = file;
  const before = from === null ? "" : await readSource(workspace, from);
  if (to === null) {
    if (file.told) checkDeletion(before, file);
  } else if (from === null && hunks.some((hunk) => oldSide(hunk).length > 0)) {
    throw new ToolError("PATCH_INVALID", "a new file can only have added lines: each one begins with +");
  } else if (to !== from) {
    await checkFree(workspace, to, leaving);
  }
  const applied: Applied = to === null ? { content: "", placed: [] } : applyHunks(before, hunks);
  if (to !== null) {
    if (plan.writes.some(({ path }) => path === to)) throw new ToolError("PATCH_INVALID", `${to} is written twice`);
    const moved = from !== null && from !== to && file.executable === null;
    const executable = moved ? await isExecutable(workspace, from, signal) : file.executable;
    plan.writes.push({ path: to, content: applied.content, executable });
  }
  if (from !== null && from !== to && !file.keep) plan.removes.push(from);
  plan.report.push(...reportOn(file, applied));
}

async function readSource(workspace: Workspace, path: string): Promise<Bytes> {
  if ((await kindOf(workspace, path)) === "link") {
    throw new ToolError("IS_LINK", `${path} is a link, which a patch cannot change; name the file that it points to`);
  }
  return readBytes(workspace, path);
}

function checkDeletion(before: Bytes, { from, hunks }: FilePatch): void {
  let left: Bytes;
  try {
    left = applyHunks(before, hunks).content;
  } catch (error) {
    if (!isMendable(error)) throw error;
    throw new ToolError("DELETE_MISMATCH", `the lines to delete are not what ${from} holds: ${error.message}`, {
      cause: error,
    });
  }
  if (left !== "") {
    const first = textOfBytes(left.slice(0, 200)).split("\n", 1)[0];
    throw new ToolError(
      "DELETE_MISMATCH",
      `${from} has lines that the patch does not delete, such as ${JSON.stringify(first)}. Delete all of its lines, or write *** Delete File: ${from}`,
    );
  }
}

async function checkFree(workspace: Workspace, path: string, leaving: ReadonlySet<string | null>): Promise<void> {
  const kind = await kindOf(workspace, path);
  if (kind === "directory") await checkEmptied(workspace, path, leaving);
  else if (kind !== null && !leaving.has(path)) {
    throw new ToolError("FILE_EXISTS", `${path} is there already. Update it, or delete it in the same patch`);
  }
}

/** A folder gives way to a file when all that is in it goes in the same patch. */
async function checkEmptied(workspace: Workspace, path: string, leaving: ReadonlySet<string | null>): Promise<void> {
  const inside = await workspace.list(path, { recursive: true });
  const staying = inside.find((entry) => entry.kind !== "directory" && !leaving.has(entry.path));
  if (staying) {
    throw new ToolError("IS_DIRECTORY", `${path} is a folder with ${staying.path} in it, so no file can be made there`);
  }
}
