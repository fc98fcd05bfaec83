import type { Suite } from "@swarm/core";
import { z } from "zod";
import { WrittenTestSchema } from "./material.ts";

/** A test suite as a model writes it. */
export const SuiteDraftSchema = z.strictObject({
  runner: z.enum(["pytest", "node:test"]),
  files: z
    .array(WrittenTestSchema)
    .min(1)
    .refine((files) => new Set(files.map(({ path }) => path)).size === files.length, "two files have the same path"),
});
export type SuiteDraft = z.infer<typeof SuiteDraftSchema>;

/** The suite of a team, by the role that wrote it; `tests` where it is the only one. */
export function suiteOf(draft: SuiteDraft, author: string, id = "tests"): Suite {
  const files = Object.fromEntries(draft.files.map(({ path, content }) => [path, content]));
  return { id, author, runner: draft.runner, files };
}
