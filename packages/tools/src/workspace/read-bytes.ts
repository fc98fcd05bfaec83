import type { Workspace } from "@swarm/core";
import { type Bytes, bytesOfFile } from "../text/bytes.ts";
import { ToolError } from "../tool-error.ts";
import { kindOf } from "./kind-of.ts";

/** The content of a file that has to be there. */
export async function readBytes(workspace: Workspace, path: string): Promise<Bytes> {
  const kind = await kindOf(workspace, path);
  if (kind === null)
    throw new ToolError("FILE_MISSING", `there is no file ${path}; list_dir and search show what there is`);
  if (kind === "directory")
    throw new ToolError("IS_DIRECTORY", `${path} is a folder, and a file is needed; list_dir shows what is in it`);
  return bytesOfFile(await workspace.read(path));
}
