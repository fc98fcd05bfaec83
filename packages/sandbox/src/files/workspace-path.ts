import { PathError, workspacePathProblem } from "@swarm/core";

/** Where the workspace lies for the commands in it, in every tier and every run. */
export const WORKSPACE_ROOT = "/workspace";

/**
 * What becomes of links on the way: `follow` those that stay inside, to read; `refuse` all, to write; `last`: as `refuse`,
 * but the last part of the path may itself be a link, to remove it.
 */
export type LinkRule = "follow" | "refuse" | "last";

const MAX_LINKS = 40;

/**
 * The path that `path` really names once its links are resolved, `""` for the root. Each step is asked for by itself and
 * never past the workspace's edge, so that not even the existence of anything outside shows. Throws a {@link PathError}.
 *
 * @param targetOf the target of the link at a path, or null where there is no link
 * @param roots what an absolute target must begin with to be inside
 */
export function resolvePath(
  path: string,
  rule: LinkRule,
  targetOf: (at: string) => string | null,
  roots: readonly string[] = [WORKSPACE_ROOT],
): string {
  const problem = workspacePathProblem(path);
  if (problem) throw new PathError(path, problem);

  const ahead = path.split("/");
  const behind: string[] = [];
  let followed = 0;
  for (let name = ahead.shift(); name !== undefined; name = ahead.shift()) {
    if (name === "" || name === ".") continue;
    if (name === "..") {
      if (behind.pop() === undefined) throw new PathError(path, "leaves the workspace through a link");
      continue;
    }
    const at = [...behind, name].join("/");
    const target = rule === "last" && ahead.length === 0 ? null : targetOf(at);
    if (target === null) {
      behind.push(name);
      continue;
    }
    if (rule !== "follow") throw new PathError(path, `goes through the link ${JSON.stringify(at)}; name the real path`);
    followed += 1;
    if (followed > MAX_LINKS) throw new PathError(path, "goes through a circle of links");
    if (target.startsWith("/")) {
      const root = roots.find((folder) => target === folder || target.startsWith(`${folder}/`));
      if (root === undefined) throw new PathError(path, `leaves the workspace through the link ${JSON.stringify(at)}`);
      behind.length = 0;
      ahead.unshift(...target.slice(root.length).split("/"));
    } else {
      ahead.unshift(...target.split("/"));
    }
  }
  return behind.join("/");
}
