import type { Bytes } from "../text/bytes.ts";
import type { LineEnd } from "../text/lines.ts";

/**
 * A line of a hunk. `end` is how the line ends in its file, as the patch has it: "" where it says that there is no newline at
 * the end of the file, null where the patch text was cut before it could say.
 */
export type PatchLine = { kind: "context" | "remove" | "add"; text: Bytes; end: LineEnd | null };

export type Hunk = {
  /** Line of the patch text that it begins at, from 1. */
  at: number;
  /** Line of the file that its header names, from 1; null where the header has no numbers. */
  start: number | null;
  /** Lines of the file that it stands below, each within the one before, as `@@ class A` says. */
  anchors: Bytes[];
  /** Whether it says that it reaches to the end of the file. */
  atEnd: boolean;
  /** Whether its header counts other lines than it has; then it is taken as it is written. */
  miscounted: boolean;
  lines: PatchLine[];
};

/** What a patch does to one file, whichever form it was written in. */
export type FilePatch = {
  /** The file that it reads; null when it makes a new one. */
  from: string | null;
  /** The file that it leaves; null when it deletes. Another one than `from` is a rename, or a copy with `keep`. */
  to: string | null;
  /** Whether `from` stays where it is although `to` is another file. */
  keep: boolean;
  /** What becomes of the executable bit; null leaves it as it is. */
  executable: boolean | null;
  /** For a deletion: whether the hunks tell the whole content, which then has to be there. */
  told: boolean;
  hunks: Hunk[];
};

/** What stood at a hunk's place before, and what stands there after. */
export function oldSide(hunk: Hunk): PatchLine[] {
  return hunk.lines.filter(({ kind }) => kind !== "add");
}
export function newSide(hunk: Hunk): PatchLine[] {
  return hunk.lines.filter(({ kind }) => kind !== "remove");
}
