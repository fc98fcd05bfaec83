import type { Workspace, WorkspaceEntry } from "@swarm/core";

/** Folders of other people's code and of caches, which listings and searches name but do not enter. */
export const UNENTERED: readonly string[] = [
  ".git",
  "node_modules",
  "__pycache__",
  ".venv",
  ".mypy_cache",
  ".pytest_cache",
];

export const ROOT = ".";

/** Everything below a folder in the order of the paths, links not followed, {@link UNENTERED} folders not entered. */
export async function* walk(workspace: Workspace, directory: string): AsyncGenerator<WorkspaceEntry> {
  for (const entry of await workspace.list(directory)) {
    yield entry;
    const name = entry.path.slice(entry.path.lastIndexOf("/") + 1);
    if (entry.kind === "directory" && !UNENTERED.includes(name)) yield* walk(workspace, entry.path);
  }
}
