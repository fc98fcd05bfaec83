const HEADER = "diff --git ";

/** A file that a patch changes, and the lines that it adds to it. */
export type Change = { path: string; added: string };

/**
 * What a git patch changes; of a renamed file the new path. A name that git has to quote, such as one with a tab, is left
 * out.
 */
export function changesInPatch(patch: string): Change[] {
  const changes: { path: string | null; added: string[] }[] = [];
  let inHunk = false;
  for (const line of patch.split("\n")) {
    if (line.startsWith(HEADER)) {
      changes.push({ path: pathIn(line.slice(HEADER.length)), added: [] });
      inHunk = false;
    } else if (line.startsWith("@@ ")) inHunk = true;
    else if (inHunk && line.startsWith("+")) changes.at(-1)?.added.push(line.slice(1));
  }
  return changes.flatMap(({ path, added }) => (path === null ? [] : [{ path, added: added.join("\n") }]));
}

/** `a/<path> b/<path>`: a path that is there twice is known by its length, whatever blanks are in it. */
function pathIn(names: string): string | null {
  const half = (names.length - 1) / 2;
  const [old, now] = [names.slice(0, half), names.slice(half + 1)];
  if (old.startsWith("a/") && now === `b/${old.slice(2)}`) return old.slice(2);
  return /^a\/[^"]* b\/([^"]*)$/.exec(names)?.[1] ?? null;
}
