import { posix } from "node:path";
import { NotFoundError, PathError, type Workspace, type WorkspaceEntry, workspacePathProblem } from "@swarm/core";
import { ROOT } from "./walk.ts";

/** What stands at a path: null when nothing does. Throws a {@link PathError} for what is no workspace path. */
export async function kindOf(workspace: Workspace, path: string): Promise<WorkspaceEntry["kind"] | null> {
  const problem = workspacePathProblem(path);
  if (problem) throw new PathError(path, problem);
  const [folder, name] = [posix.dirname(path), posix.basename(path)];
  const above = folder === ROOT ? "directory" : await kindOf(workspace, folder);
  if (above === null || above === "file") return null;
  try {
    const entries = await workspace.list(folder);
    return entries.find((entry) => posix.basename(entry.path) === name)?.kind ?? null;
  } catch (error) {
    if (error instanceof NotFoundError) return null;
    throw error;
  }
}
