import type { Tool } from "@swarm/core";
import { type ApplyPatchInput, applyPatch } from "./apply-patch.ts";
import { type EditFileInput, editFile } from "./edit-file.ts";
import { type ListDirInput, listDir } from "./list-dir.ts";
import { type ReadFileInput, readFile } from "./read-file.ts";
import { type RunInput, type RunOptions, run, runWith } from "./run.ts";
import { type RunTestsInput, runTests } from "./run-tests.ts";
import { type SearchInput, search } from "./search.ts";
import { type WriteFileInput, writeFile } from "./write-file.ts";

export type {
  ApplyPatchInput,
  EditFileInput,
  ListDirInput,
  ReadFileInput,
  RunInput,
  RunOptions,
  RunTestsInput,
  SearchInput,
  WriteFileInput,
};
export { applyPatch, editFile, listDir, readFile, run, runTests, runWith, search, writeFile };

// biome-ignore lint/suspicious/noExplicitAny: tools of different inputs; each checks its own
type AnyTool = Tool<any>;

/** The tools that look and change nothing. */
export const readingTools: readonly AnyTool[] = [readFile, listDir, search];

/** Those that edit files and run the tests, and start no command of a model. */
export const editingTools: readonly AnyTool[] = [...readingTools, writeFile, editFile, applyPatch, runTests];

/** All tools of this package. */
export const codingTools: readonly AnyTool[] = codingToolsWith({});

/** The same, with options for those that have any. Throws an {@link InvalidInputError} as they do. */
export function codingToolsWith({ run = {} }: { run?: RunOptions }): readonly AnyTool[] {
  return [...readingTools, writeFile, editFile, applyPatch, runWith(run), runTests];
}
