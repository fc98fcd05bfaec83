import type { Bytes } from "../text/bytes.ts";
import { ToolError } from "../tool-error.ts";
import type { Hunk, PatchLine } from "./patch.ts";
import { newSide, oldSide } from "./patch.ts";

/** Where a reader is in a patch text. */
export type Cursor = {
  readonly lines: readonly Bytes[];
  /** Whether the text's last line had its line feed; texts lose it on their way. */
  readonly whole: boolean;
  at: number;
};

export function cursorOver(text: Bytes): Cursor {
  const lines = text.split("\n");
  const whole = lines.at(-1) === "";
  if (whole) lines.pop();
  return { lines, whole, at: 0 };
}

/** A line as a header: without the CR that a patch with CRLF ends has on all of its lines. */
export function headerAt(cursor: Cursor, at = cursor.at): Bytes {
  return (cursor.lines[at] ?? "").replace(/\r$/, "");
}

export function invalid(at: number, problem: string): ToolError {
  return new ToolError("PATCH_INVALID", `line ${at + 1} of the patch ${problem}`);
}

type Counts = { old: number; now: number };
const NUMBERS = /^@@ -(\d+)(?:,(\d+))? \+\d+(?:,(\d+))?(?: @@|$)/;

/** Reads the hunk at the cursor: its `@@` lines, of which the sections form may have none or several, and its body. */
export function readHunk(cursor: Cursor): Hunk {
  const hunk: Hunk = { at: cursor.at + 1, start: null, anchors: [], atEnd: false, miscounted: false, lines: [] };
  let counts: Counts | null = null;
  for (; headerAt(cursor).startsWith("@@"); cursor.at++) {
    const header = headerAt(cursor);
    const numbers = NUMBERS.exec(header);
    if (numbers) {
      hunk.start = Number(numbers[1]);
      counts = { old: Number(numbers[2] ?? 1), now: Number(numbers[3] ?? 1) };
    } else if (/^@@ +-\d|^@@@/.test(header)) {
      throw invalid(cursor.at, `has a hunk header that cannot be read: ${header}; write @@ -1,3 +1,4 @@, or @@ alone`);
    } else {
      const anchor = header.slice(2).replace(/@@$/, "").trim();
      if (!/^\.*$/.test(anchor)) hunk.anchors.push(anchor);
    }
  }
  const start = cursor.at;
  const counted = counts && endByCounts(cursor, start, counts);
  cursor.at = counted ?? endByShape(cursor, start);
  for (let at = start; at < cursor.at; at++) {
    if (!isMarker(cursor, at)) hunk.lines.push(bodyLine(cursor, at));
  }
  if (hunk.lines.length === 0) throw invalid(hunk.at - 1, "begins a hunk without lines");
  hunk.miscounted = counts !== null && (oldSide(hunk).length !== counts.old || newSide(hunk).length !== counts.now);
  return hunk;
}

/** Where the body ends by its header's counts; null when they are wrong, as they often are in what a model wrote. */
function endByCounts(cursor: Cursor, start: number, counts: Counts): number | null {
  let { old, now } = counts;
  let at = start;
  for (; old > 0 || now > 0; at++) {
    if (isMarker(cursor, at)) continue;
    if (at >= cursor.lines.length || !isBody(cursor, at)) return null;
    const sign = cursor.lines[at]?.[0];
    if (sign !== "+") old -= 1;
    if (sign !== "-") now -= 1;
  }
  if (old < 0 || now < 0) return null;
  if (isMarker(cursor, at)) at += 1;
  const next = headerAt(cursor, at);
  // `-- ` begins the signature that git format-patch puts below a patch.
  return next === "" || next === "-- " || !isBody(cursor, at) || isFileHeader(cursor, at) ? at : null;
}

/** Where the body ends by what its lines look like. Empty lines at its end are taken for space between hunks. */
function endByShape(cursor: Cursor, start: number): number {
  let at = start;
  while (at < cursor.lines.length && (isBody(cursor, at) || isMarker(cursor, at)) && !isFileHeader(cursor, at)) at += 1;
  while (at > start && headerAt(cursor, at - 1) === "") at -= 1;
  return at;
}

export function isFileHeader(cursor: Cursor, at = cursor.at): boolean {
  return headerAt(cursor, at).startsWith("--- ") && headerAt(cursor, at + 1).startsWith("+++ ");
}

function isBody(cursor: Cursor, at: number): boolean {
  return /^(?:[ +-]|$)/.test(headerAt(cursor, at));
}

/** `\ No newline at end of file`, in whatever language. */
function isMarker(cursor: Cursor, at: number): boolean {
  return cursor.lines[at]?.startsWith("\\") ?? false;
}

function bodyLine(cursor: Cursor, at: number): PatchLine {
  const raw = cursor.lines[at] as Bytes;
  const kind = raw[0] === "+" ? "add" : raw[0] === "-" ? "remove" : "context";
  // An empty line is an empty context line whose blank was stripped.
  const text = /^[ +-]/.test(raw) ? raw.slice(1) : raw;
  if (isMarker(cursor, at + 1)) return { kind, text, end: "" };
  if (text.endsWith("\r")) return { kind, text: text.slice(0, -1), end: "\r\n" };
  const cut = at === cursor.lines.length - 1 && !cursor.whole;
  return { kind, text, end: cut ? null : "\n" };
}
