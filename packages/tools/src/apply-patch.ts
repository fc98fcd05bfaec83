import type { Tool } from "@swarm/core";
import { z } from "zod";
import { commitPlan } from "./patch/commit-plan.ts";
import { parsePatch } from "./patch/parse-patch.ts";
import { planPatch } from "./patch/plan-patch.ts";
import { answer } from "./tool-error.ts";

export type ApplyPatchInput = { patch: string };

export const applyPatch: Tool<ApplyPatchInput> = {
  name: "apply_patch",
  description: [
    "Changes, creates, deletes and renames files by a patch, all of it or nothing. The right tool for changes at several places or in several files.",
    "Takes a unified diff (--- a/path, +++ b/path, @@ -1,3 +1,4 @@; /dev/null for a file that is created or deleted; git's rename lines), or the form *** Begin Patch, *** Update File: path (also Add File, Delete File, and *** Move to: path below Update File), @@, *** End Patch.",
    "In a hunk each line begins with a blank (context), - (removed) or + (added). Context and removed lines have to be in the file exactly; give about 3 lines of context. Where they are there more than once, the header's line number decides, or the line named behind @@, such as @@ class Account.",
    "Returns what was done to each file. If a hunk does not fit, nothing is written, and the file, the hunk and the closest lines are named. Line ends, byte order mark and mode of a file are kept.",
  ].join(" "),
  input: z.strictObject({
    patch: z.string().min(1).describe("The patch text, with real line breaks and without a code fence."),
  }),
  effect: "workspace",
  idempotent: false,
  call: ({ patch }, { workspace, signal }) =>
    answer(async () => {
      const plan = await planPatch(workspace, parsePatch(patch), signal);
      await commitPlan(workspace, plan, signal);
      const touched = new Set([...plan.removes, ...plan.writes.map(({ path }) => path)]);
      return { ok: true, output: plan.report.join("\n"), touched: [...touched].sort() };
    }),
};
