import type { FilePatch } from "./patch.ts";
import { pathText } from "./patch-path.ts";
import { type Cursor, headerAt, invalid, readHunk } from "./read-hunk.ts";

const BEGIN = "*** Begin Patch";
const END = "*** End Patch";
const SECTION = /^\*\*\* (Add|Delete|Update) File: (.+)$/;
const MOVE = /^\*\*\* Move to: (.+)$/;
const END_OF_FILE = "*** End of File";

export function hasSections(cursor: Cursor): boolean {
  return cursor.lines.some((line) => line.startsWith(BEGIN));
}

/** Reads the `*** Begin Patch` form. One without its last line is refused, since it may have been cut off anywhere. */
export function parseSections(cursor: Cursor): FilePatch[] {
  cursor.at = cursor.lines.findIndex((line) => line.startsWith(BEGIN)) + 1;
  const files: FilePatch[] = [];
  for (;;) {
    skipBlank(cursor);
    const line = headerAt(cursor).trimEnd();
    if (line === END) break;
    const section = SECTION.exec(line);
    if (!section) {
      throw invalid(cursor.at, `should be *** Add File: path, *** Update File: path, *** Delete File: path or ${END}`);
    }
    cursor.at += 1;
    files.push(readSection(cursor, section[1] as string, pathText(section[2] as string)));
  }
  if (files.length === 0) throw invalid(cursor.at, "ends a patch that names no file");
  return files;
}

function readSection(cursor: Cursor, verb: string, path: string): FilePatch {
  if (verb === "Delete") return { from: path, to: null, keep: false, executable: null, told: false, hunks: [] };
  if (verb === "Add") {
    const hunks = headerAt(cursor).startsWith("+") ? [readHunk(cursor)] : [];
    return { from: null, to: path, keep: false, executable: null, told: true, hunks };
  }
  const file: FilePatch = { from: path, to: path, keep: false, executable: null, told: true, hunks: [] };
  const move = MOVE.exec(headerAt(cursor).trimEnd());
  if (move) {
    file.to = pathText(move[1] as string);
    cursor.at += 1;
  }
  for (skipBlank(cursor); /^(?:@@|[ +-])/.test(headerAt(cursor)); skipBlank(cursor)) {
    const hunk = readHunk(cursor);
    if (headerAt(cursor).trimEnd() === END_OF_FILE) {
      hunk.atEnd = true;
      cursor.at += 1;
    }
    file.hunks.push(hunk);
  }
  if (file.hunks.length === 0 && !move) throw invalid(cursor.at, `should begin a hunk of ${path} with @@`);
  return file;
}

function skipBlank(cursor: Cursor): void {
  while (cursor.at < cursor.lines.length && headerAt(cursor) === "") cursor.at += 1;
}
