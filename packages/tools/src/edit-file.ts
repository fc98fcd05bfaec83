import type { Tool } from "@swarm/core";
import { z } from "zod";
import { bytesOfText, fileOfBytes, textOfBytes } from "./text/bytes.ts";
import { splitLines } from "./text/lines.ts";
import { lineNumbers, numbered } from "./text/numbered.ts";
import { replaceText } from "./text/replace-text.ts";
import { answer, ToolError } from "./tool-error.ts";
import { readBytes } from "./workspace/read-bytes.ts";

export type EditFileInput = { path: string; oldText: string; newText: string; all?: boolean };

const AROUND = 2;
const MOST_SHOWN = 30;

export const editFile: Tool<EditFileInput> = {
  name: "edit_file",
  description: [
    "Replaces a piece of text in an existing file and leaves every other byte of it alone. The right tool for a change at one place; apply_patch suits several places or files.",
    "oldText must be in the file exactly once, character for character, with indentation; copy it from read_file without the line numbers. With all set, every occurrence is replaced.",
    "Returns the changed lines with their numbers. If oldText is not there, the closest lines are shown; if it is there more than once, the line numbers are; in both cases nothing is written.",
  ].join(" "),
  input: z.strictObject({
    path: z.string().describe("Path of the file, relative to the workspace, such as src/app.py."),
    oldText: z
      .string()
      .min(1)
      .describe("The text to replace. Give enough lines around the change for it to be there only once."),
    newText: z.string().describe("What to put there. Empty deletes the old text."),
    all: z.boolean().exactOptional().describe("Replace every occurrence. Default false."),
  }),
  effect: "workspace",
  idempotent: false,
  call: ({ path, oldText, newText, all = false }, { workspace }) =>
    answer(async () => {
      if (oldText === newText)
        throw new ToolError("NO_CHANGE", "oldText and newText are the same, so there is nothing to do");
      const before = await readBytes(workspace, path);
      const { content, at } = replaceText(before, bytesOfText(oldText), bytesOfText(newText), all);
      await workspace.write(path, fileOfBytes(content));
      const first = at[0] as number;
      const from = Math.max(1, first - AROUND);
      const shown = splitLines(content)
        .slice(from - 1, first + newText.split("\n").length - 1 + AROUND)
        .map(({ text }, index) => numbered(from + index, textOfBytes(text)));
      if (shown.length > MOST_SHOWN) shown.splice(MOST_SHOWN, shown.length, "[…]");
      return {
        ok: true,
        output: [`Replaced in ${path} at ${lineNumbers(at)}. The first place now reads:`, ...shown].join("\n"),
        touched: [path],
      };
    }),
};
