import { posix } from "node:path";
import { messageOf, type Tool, type Workspace, type WorkspaceEntry } from "@swarm/core";
import { z } from "zod";
import { bytesOfFile, textOfBytes } from "./text/bytes.ts";
import { splitLines } from "./text/lines.ts";
import { numbered } from "./text/numbered.ts";
import { answer, ToolError } from "./tool-error.ts";
import { withinTime } from "./within-time.ts";
import { placeOf } from "./workspace/folder.ts";
import { ROOT, UNENTERED, walk } from "./workspace/walk.ts";

export type SearchInput = { pattern: string; regex?: boolean; ignoreCase?: boolean; path?: string; glob?: string };

const MOST_SHOWN = 100;
const LONGEST_LINE = 200;
const LARGEST_FILE = 1_000_000;
/** Milliseconds for matching one file, and so the longest that a pattern can hold up the process. */
const FILE_TIMEOUT_MS = 300;
const SEARCH_TIMEOUT_MS = 20_000;

export const search: Tool<SearchInput> = {
  name: "search",
  description: [
    "Finds the lines of the workspace's text files that hold a text, or that fit a JavaScript regular expression with regex set. Use it to find where something is defined or used.",
    `Returns matches by file, each with its line number, a tab and the line, at most ${MOST_SHOWN} of them, then how many there are in all.`,
    `Patterns fit within one line. Not looked into: binary files, files above 1 MB, links, and ${UNENTERED.join(", ")}.`,
  ].join(" "),
  input: z.strictObject({
    pattern: z
      .string()
      .min(1)
      .describe("What to look for: the text itself, or with regex a regular expression such as def \\w+_total\\(."),
    regex: z.boolean().exactOptional().describe("Take the pattern as a regular expression. Default false."),
    ignoreCase: z.boolean().exactOptional().describe("Take capital and small letters as equal. Default false."),
    path: z
      .string()
      .exactOptional()
      .describe("Folder or file to look in, relative to the workspace. Default: all of it."),
    glob: z
      .string()
      .min(1)
      .exactOptional()
      .describe("Only files whose path fits, such as *.py (in any folder) or src/**/*.ts."),
  }),
  effect: "none",
  idempotent: true,
  call: ({ path = ROOT, ...what }, { workspace, signal }) =>
    answer(async () => {
      const pattern = patternOf(what);
      const deadline = performance.now() + SEARCH_TIMEOUT_MS;
      const shown: string[] = [];
      let [matches, files, skipped] = [0, 0, 0];
      for (const entry of await filesAt(workspace, path, what.glob)) {
        signal.throwIfAborted();
        if (performance.now() > deadline) {
          throw new ToolError("SEARCH_SLOW", "there is too much to look through; narrow it with path or glob");
        }
        const bytes = entry.size > LARGEST_FILE ? null : bytesOfFile(await workspace.read(entry.path));
        if (bytes === null || bytes.includes("\0")) {
          skipped += 1;
          continue;
        }
        const found = matchesIn(textOfBytes(bytes), pattern, entry.path);
        if (found.length === 0) continue;
        const room = MOST_SHOWN - Math.min(matches, MOST_SHOWN);
        if (room > 0) shown.push(entry.path, ...found.slice(0, room));
        matches += found.length;
        files += 1;
      }
      return { ok: true, output: [...shown, summary(matches, files, skipped)].join("\n") };
    }),
};

function patternOf({ pattern, regex = false, ignoreCase = false }: Omit<SearchInput, "path">): RegExp {
  if (/[\r\n]/.test(pattern)) {
    throw new ToolError(
      "PATTERN_INVALID",
      "the pattern has a line break, but matches are within one line; search for one of its lines",
    );
  }
  try {
    return new RegExp(regex ? pattern : pattern.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&"), ignoreCase ? "i" : "");
  } catch (error) {
    throw new ToolError("PATTERN_INVALID", `${messageOf(error)}; leave regex out to look for the text itself`, {
      cause: error,
    });
  }
}

async function filesAt(workspace: Workspace, path: string, glob: string | undefined): Promise<WorkspaceEntry[]> {
  if ((await placeOf(workspace, path)) === "file") {
    const folder = posix.dirname(path);
    return (await workspace.list(folder)).filter((entry) => entry.path === path);
  }
  const files = (await Array.fromAsync(walk(workspace, path))).filter(({ kind }) => kind === "file");
  if (glob === undefined) return files;
  const full = glob.includes("/") ? glob : `**/${glob}`;
  const fitting = withinTime(FILE_TIMEOUT_MS, () => files.filter((file) => posix.matchesGlob(file.path, full)));
  if (!fitting) throw new ToolError("PATTERN_SLOW", `the glob ${glob} takes too long; write a simpler one`);
  return fitting.value;
}

function matchesIn(text: string, pattern: RegExp, path: string): string[] {
  const lines = splitLines(text);
  const found = withinTime(FILE_TIMEOUT_MS, () => [...lines.entries()].filter(([_, line]) => pattern.test(line.text)));
  if (found) return found.value.map(([index, line]) => numbered(index + 1, line.text, LONGEST_LINE));
  throw new ToolError(
    "PATTERN_SLOW",
    `the pattern takes too long on ${path}. Leave out nested repeats such as (a+)+, or look for a plain text`,
  );
}

function summary(matches: number, files: number, skipped: number): string {
  const without = skipped === 0 ? "" : ` ${skipped} binary or large files were not looked into.`;
  if (matches === 0) return `No match.${without}`;
  const more = matches > MOST_SHOWN ? ` Only the first ${MOST_SHOWN} are shown; narrow it with path or glob.` : "";
  return `${matches} matching lines in ${files} files.${more}${without}`;
}
