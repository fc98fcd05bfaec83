import { existsSync, readdirSync, realpathSync } from "node:fs";
import { join } from "node:path";

/** Where commands find the host's `node_modules`: beside the workspace, so that packages are looked for there last. */
export const MODULES = "/node_modules";

/** The folders that must be visible for the packages in `folder` to be whole: itself, and those that its links lead into. */
export function moduleFolders(folder: string): string[] {
  const scopes = readdirSync(folder).filter((name) => name.startsWith("@"));
  const targets = [folder, ...scopes.map((scope) => join(folder, scope))].flatMap((at) =>
    readdirSync(at, { withFileTypes: true })
      .filter((entry) => entry.isSymbolicLink())
      .map(({ name }) => join(at, name))
      .filter((link) => existsSync(link))
      .flatMap((link) => outermostModules(realpathSync(link)) ?? []),
  );
  return [...new Set([folder, ...targets])].sort();
}

/** The first folder on a path that is named `node_modules`. */
function outermostModules(path: string): string | null {
  return path.match(/^.*?\/node_modules(?=\/)/)?.[0] ?? null;
}
