import type { Tool } from "@swarm/core";
import { z } from "zod";
import { BOM, type Bytes, isUtf8, textOfBytes } from "./text/bytes.ts";
import { type Line, splitLines } from "./text/lines.ts";
import { numbered } from "./text/numbered.ts";
import { answer, ToolError } from "./tool-error.ts";
import { readBytes } from "./workspace/read-bytes.ts";

export type ReadFileInput = { path: string; startLine?: number; endLine?: number };

const MOST_CHARACTERS = 20_000;

export const readFile: Tool<ReadFileInput> = {
  name: "read_file",
  description: [
    "Shows a text file with numbered lines. Read a file before you change it.",
    `Returns the total number of lines, then each line as its number, a tab and its text; number and tab are not part of the file. At most ${MOST_CHARACTERS} characters come back: then read on from the line that is named at the end.`,
    "It also says when line ends are not LF, when the last line has no newline, and when the file is not UTF-8. Binary files are not shown.",
  ].join(" "),
  input: z.strictObject({
    path: z.string().describe("Path of the file, relative to the workspace, such as src/app.py."),
    startLine: z.int().min(1).exactOptional().describe("First line to show, counted from 1. Default 1."),
    endLine: z.int().min(1).exactOptional().describe("Last line to show. Default: the last line of the file."),
  }),
  effect: "none",
  idempotent: true,
  call: ({ path, startLine = 1, endLine = Number.POSITIVE_INFINITY }, { workspace }) =>
    answer(async () => {
      const bytes = await readBytes(workspace, path);
      if (bytes.includes("\0")) throw new ToolError("BINARY_FILE", `${path} is binary (${bytes.length} bytes)`);
      if (bytes === "") return { ok: true, output: `${path} is empty (0 lines).` };
      const lines = splitLines(bytes.startsWith(BOM) ? bytes.slice(BOM.length) : bytes);
      if (startLine > lines.length || endLine < startLine) {
        throw new ToolError(
          "NO_SUCH_LINES",
          `${path} has ${lines.length} lines; startLine has to be one of them, and endLine no less than startLine`,
        );
      }
      return { ok: true, output: show(path, bytes, lines, startLine, Math.min(endLine, lines.length)) };
    }),
};

function show(path: string, bytes: Bytes, lines: readonly Line[], first: number, last: number): string {
  const shown: string[] = [];
  let room = MOST_CHARACTERS;
  for (let number = first; number <= last; number++) {
    const line = numbered(number, textOfBytes(lines[number - 1]?.text ?? ""));
    room -= line.length + 1;
    if (room < 0 && shown.length > 0) break;
    shown.push(line);
  }
  const until = first + shown.length - 1;
  const rest = until < last ? [`[… read on with startLine ${until + 1} …]`] : [];
  const head = `${path}: lines ${first}-${until} of ${lines.length}${notesOn(bytes, lines).join("")}`;
  return [head, ...shown, ...rest].join("\n");
}

function notesOn(bytes: Bytes, lines: readonly Line[]): string[] {
  const notes: string[] = [];
  const crlf = lines.filter(({ end }) => end === "\r\n").length;
  if (crlf > 0) {
    const all = lines.every(({ end }) => end !== "\n");
    notes.push(all ? "; line ends are CRLF" : `; line ends are mixed (${crlf} of them CRLF)`);
  }
  if (lines.at(-1)?.end === "") notes.push("; no newline at the end");
  if (bytes.startsWith(BOM)) notes.push("; begins with a byte order mark");
  if (!isUtf8(bytes)) notes.push("; not UTF-8: bytes that are no text are shown as \ufffd, and edits keep them");
  return notes;
}
