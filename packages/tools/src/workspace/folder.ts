import type { Workspace } from "@swarm/core";
import { ToolError } from "../tool-error.ts";
import { kindOf } from "./kind-of.ts";
import { ROOT } from "./walk.ts";

/** Whether a path is a folder or a file; the workspace itself may be written as ".". Rejects when nothing is there. */
export async function placeOf(workspace: Workspace, path: string): Promise<"directory" | "file"> {
  if (path === ROOT) return "directory";
  const kind = await kindOf(workspace, path);
  if (kind === null) throw new ToolError("FILE_MISSING", `nothing is at ${path}; list_dir shows what there is`);
  return kind === "directory" ? "directory" : "file";
}
