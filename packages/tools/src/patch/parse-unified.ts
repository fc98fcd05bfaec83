import type { Bytes } from "../text/bytes.ts";
import { ToolError } from "../tool-error.ts";
import type { FilePatch } from "./patch.ts";
import { pathText, readPath, readPathPair, workspacePaths } from "./patch-path.ts";
import { type Cursor, headerAt, invalid, isFileHeader, readHunk } from "./read-hunk.ts";

/** What git says of a file between its `diff --git` line and its hunks, by header. */
type GitHeaders = { [header: string]: Bytes };

const GIT_HEADER =
  /^(old mode|new mode|new file mode|deleted file mode|rename from|rename to|copy from|copy to|similarity index|dissimilarity index|index) (.*)$/;
/** What may stand between the files of a patch, beside empty lines. */
const BETWEEN_FILES = /^(?:Index: |=+$|diff |Only in |index )/;
/** What ends a patch: git's signature, or the fence of a code block. Behind it anything may stand up to the next header. */
const EPILOGUE = /^(?:-- $|```)/;

/** Reads a unified diff, with or without git's headers. Text before the first file is passed over. */
export function parseUnified(cursor: Cursor): FilePatch[] {
  const files: FilePatch[] = [];
  let anything = true;
  while (cursor.at < cursor.lines.length) {
    const line = headerAt(cursor);
    if (line.startsWith("diff --git ") || isFileHeader(cursor)) {
      files.push(readFilePatch(cursor));
      anything = false;
      continue;
    }
    if (line.startsWith("@@"))
      throw invalid(cursor.at, "begins a hunk, but no file: write --- a/path and +++ b/path above");
    if (EPILOGUE.test(line)) anything = true;
    else if (!anything && line !== "" && !BETWEEN_FILES.test(line)) {
      throw invalid(cursor.at, `begins with none of blank, +, - and @@: ${line.slice(0, 80)}`);
    }
    cursor.at += 1;
  }
  if (files.length === 0) {
    throw new ToolError(
      "PATCH_INVALID",
      "the patch names no file: write a unified diff (--- a/path, +++ b/path, @@ … @@) or *** Begin Patch … *** End Patch",
    );
  }
  return files;
}

function readFilePatch(cursor: Cursor): FilePatch {
  const at = cursor.at;
  const git = headerAt(cursor).startsWith("diff --git ") ? readGitHeaders(cursor) : null;
  let named: [Bytes, Bytes] | null = git && readPathPair(headerAt(cursor, at).slice("diff --git ".length));
  const hasFileHeader = isFileHeader(cursor);
  if (hasFileHeader) {
    named = [readPath(headerAt(cursor).slice(4)), readPath(headerAt(cursor, cursor.at + 1).slice(4))];
    cursor.at += 2;
  }
  const hunks = [];
  while (headerAt(cursor).startsWith("@@")) hunks.push(readHunk(cursor));
  if (hasFileHeader && hunks.length === 0) throw invalid(cursor.at, "should begin a hunk of this file with @@");
  return { ...filesOf(at, git ?? {}, named), told: true, hunks };
}

function readGitHeaders(cursor: Cursor): GitHeaders {
  const headers: GitHeaders = {};
  for (cursor.at += 1; ; cursor.at += 1) {
    const line = headerAt(cursor);
    if (/^Binary files |^GIT binary patch/.test(line)) {
      throw new ToolError("PATCH_UNSUPPORTED", `line ${cursor.at + 1} of the patch changes a binary file`);
    }
    const match = GIT_HEADER.exec(line);
    if (!match) return headers;
    headers[match[1] as string] = match[2] as Bytes;
  }
}

function filesOf(at: number, git: GitHeaders, named: [Bytes, Bytes] | null): Omit<FilePatch, "hunks" | "told"> {
  const mode = git["new file mode"] ?? git["new mode"] ?? git["deleted file mode"];
  if (mode !== undefined && !/^100/.test(mode)) {
    throw new ToolError("PATCH_UNSUPPORTED", `line ${at + 1} of the patch is about a link or submodule (mode ${mode})`);
  }
  const isNew = "new file mode" in git;
  const executable = mode === "100755" ? true : mode === undefined || isNew ? null : false;
  for (const move of ["rename", "copy"]) {
    const [from, to] = [git[`${move} from`], git[`${move} to`]];
    if (from !== undefined && to !== undefined) {
      return { from: pathText(readPath(from)), to: pathText(readPath(to)), keep: move === "copy", executable };
    }
  }
  if (!named) throw invalid(at, "names its file in a way that cannot be read");
  let [from, to] = workspacePaths(...named);
  if (isNew) from = null;
  if ("deleted file mode" in git) to = null;
  if (from === null && to === null) throw invalid(at, "names no file");
  if (from !== null && to !== null && from !== to) {
    throw invalid(
      at,
      `begins a change of ${from} into ${to}; a rename needs git's lines "rename from" and "rename to"`,
    );
  }
  return { from, to, keep: false, executable };
}
