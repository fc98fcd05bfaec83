import type { Tool, WorkspaceEntry } from "@swarm/core";
import { z } from "zod";
import { answer, ToolError } from "./tool-error.ts";
import { placeOf } from "./workspace/folder.ts";
import { ROOT, UNENTERED, walk } from "./workspace/walk.ts";

export type ListDirInput = { path?: string; recursive?: boolean };

const MOST_ENTRIES = 400;

export const listDir: Tool<ListDirInput> = {
  name: "list_dir",
  description: [
    "Lists a folder of the workspace, sorted: folders end in /, files have their size in bytes. Use it to find your way; to find text use search.",
    `Returns one path a line, at most ${MOST_ENTRIES}, and says how many were left out. With recursive it goes down into folders, but not into ${UNENTERED.join(", ")}.`,
  ].join(" "),
  input: z.strictObject({
    path: z.string().exactOptional().describe("The folder, relative to the workspace. Default: the workspace itself."),
    recursive: z.boolean().exactOptional().describe("Also list what is in the folders below. Default false."),
  }),
  effect: "none",
  idempotent: true,
  call: ({ path = ROOT, recursive = false }, { workspace, signal }) =>
    answer(async () => {
      if ((await placeOf(workspace, path)) === "file") {
        throw new ToolError("NOT_A_DIRECTORY", `${path} is a file; read_file shows what it holds`);
      }
      const entries = recursive ? walk(workspace, path) : await workspace.list(path);
      const shown: string[] = [];
      let count = 0;
      for await (const entry of entries) {
        signal.throwIfAborted();
        count += 1;
        if (shown.length < MOST_ENTRIES) shown.push(tell(entry));
      }
      if (count === 0) return { ok: true, output: `${path} is empty.` };
      if (count > shown.length) shown.push(`[… ${count - shown.length} more; list a folder below …]`);
      return { ok: true, output: shown.join("\n") };
    }),
};

function tell({ path, kind, size }: WorkspaceEntry): string {
  if (kind === "directory") return `${path}/`;
  return kind === "link" ? `${path} (link)` : `${path} (${size})`;
}
