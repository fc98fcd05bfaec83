import type { Tool } from "@swarm/core";
import { z } from "zod";
import { bytesOfText, fileOfBytes } from "./text/bytes.ts";
import { splitLines } from "./text/lines.ts";
import { answer, ToolError } from "./tool-error.ts";
import { kindOf } from "./workspace/kind-of.ts";

export type WriteFileInput = { path: string; content: string };

export const writeFile: Tool<WriteFileInput> = {
  name: "write_file",
  description: [
    "Writes a whole file: makes a new one, with the folders above it, or replaces all that an existing one holds.",
    "Use it for new files and for complete rewrites; for a change within a file use edit_file, which cannot lose the rest.",
    "Returns how many lines and bytes were written, and whether a file was there before. The content is written exactly as given, so end it with a newline.",
  ].join(" "),
  input: z.strictObject({
    path: z.string().describe("Path of the file, relative to the workspace, such as src/app.py."),
    content: z.string().describe("Everything that the file is to hold."),
  }),
  effect: "workspace",
  idempotent: true,
  call: ({ path, content }, { workspace }) =>
    answer(async () => {
      const kind = await kindOf(workspace, path);
      if (kind === "directory") {
        throw new ToolError("IS_DIRECTORY", `${path} is a folder; give the path of a file, such as ${path}/name`);
      }
      const bytes = bytesOfText(content);
      await workspace.write(path, fileOfBytes(bytes));
      const size = `${splitLines(bytes).length} lines, ${bytes.length} bytes`;
      return { ok: true, output: `${kind === null ? "Created" : "Replaced"} ${path}: ${size}.`, touched: [path] };
    }),
};
