import { BOM, type Bytes } from "../text/bytes.ts";
import { joinLines, type Line, splitLines, usualEnd } from "../text/lines.ts";
import { ToolError } from "../tool-error.ts";
import { type Hunk, newSide, oldSide } from "./patch.ts";
import { placeHunk } from "./place-hunk.ts";

/** Where a hunk went: the index of its first line, and whether the line ends there are the patch's too. */
export type Placed = { hunk: Hunk; start: number; exact: boolean };
export type Applied = { content: Bytes; placed: Placed[] };

/**
 * Applies hunks, whose numbers all speak of `content`. Every byte outside of the lines that they remove and add stays as it
 * is. Where the hunk's line ends are the file's, its added lines are taken byte for byte. Where they are not (a patch with LF
 * for a file with CRLF), each added line ends like the one that it replaces, otherwise like most of the file, and the file's
 * last line keeps or lacks its newline as before unless the patch says which. Throws `HUNK_*` errors that name the hunk.
 */
export function applyHunks(content: Bytes, hunks: readonly Hunk[]): Applied {
  // A byte order mark that the patch does not show is set aside, so that the first line can be found.
  const mark = content.startsWith(BOM) && !hunks.some(showsMark) ? BOM : "";
  const lines = splitLines(content.slice(mark.length));
  const placed: Placed[] = [];
  let drift = 0;
  for (const [index, hunk] of hunks.entries()) {
    const start = placeNumbered(lines, hunk, drift, index + 1);
    placed.push({ hunk, start, exact: hasEndsOf(lines, hunk, start) });
    if (hunk.start !== null) drift = start + 1 - hunk.start;
  }
  const body = joinLines(replaced(lines, placed));
  const emptied = body === "" && lines.length > 0;
  return { content: emptied ? "" : mark + body, placed };
}

function showsMark(hunk: Hunk): boolean {
  return hunk.lines.some(({ text }) => text.startsWith(BOM));
}

function placeNumbered(lines: readonly Line[], hunk: Hunk, drift: number, number: number): number {
  try {
    return placeHunk(lines, hunk, drift);
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    throw new ToolError(error.code, `hunk ${number} (line ${hunk.at} of the patch): ${error.message}`, {
      cause: error,
    });
  }
}

/** Without lines to compare nothing shows what ends the patch knows of, unless the file has none. */
function hasEndsOf(lines: readonly Line[], hunk: Hunk, start: number): boolean {
  const old = oldSide(hunk);
  if (old.length === 0) return lines.length === 0;
  return old.every(({ end }, offset) => end === null || end === lines[start + offset]?.end);
}

function replaced(lines: readonly Line[], placed: readonly Placed[]): Line[] {
  const hasEnds = lines.some(({ end }) => end !== "");
  const usual = usualEnd(hasEnds ? lines : placed.flatMap(({ hunk }) => hunk.lines));
  const parts: Line[][] = [];
  let next = 0;
  for (const place of placed.toSorted((one, other) => one.start - other.start)) {
    if (place.start < next) throw overlap(place);
    parts.push(lines.slice(next, place.start), linesOf(lines, place, usual));
    next = place.start + oldSide(place.hunk).length;
  }
  const result = [...parts, lines.slice(next)].flat();
  // What stood last without a newline may have lines below it now.
  for (const line of result.slice(0, -1)) if (line.end === "") line.end = usual;
  return result;
}

/** The lines that stand at a hunk's place when it is done. */
function linesOf(lines: readonly Line[], { hunk, start, exact }: Placed, usual: "\n" | "\r\n"): Line[] {
  const result: Line[] = [];
  let at = start;
  let removed: Line[] = [];
  for (const line of hunk.lines) {
    if (line.kind === "add") {
      const like = removed.shift()?.end;
      const own = exact ? line.end : null;
      result.push({ text: line.text, end: own ?? (like || usual) });
      continue;
    }
    const present = lines[at] as Line;
    at += 1;
    if (line.kind === "remove") {
      removed.push(present);
    } else {
      removed = [];
      result.push({ ...present });
    }
  }
  const last = result.at(-1);
  if (!exact && last && at === lines.length) {
    const says = hunk.lines.some(({ end }) => end === "");
    const like = says ? newSide(hunk).at(-1)?.end : lines.at(-1)?.end;
    last.end = like === "" ? "" : last.end || usual;
  }
  return result;
}

function overlap({ hunk, start }: Placed): ToolError {
  return new ToolError(
    "HUNKS_OVERLAP",
    `the hunk at line ${hunk.at} of the patch changes line ${start + 1}, which another hunk of this file has too. Make one hunk of them`,
  );
}
