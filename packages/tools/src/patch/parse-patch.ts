import { bytesOfText } from "../text/bytes.ts";
import { hasSections, parseSections } from "./parse-sections.ts";
import { parseUnified } from "./parse-unified.ts";
import type { FilePatch } from "./patch.ts";
import { cursorOver } from "./read-hunk.ts";

/** Reads a patch of either form. Throws a `PATCH_INVALID` or `PATCH_UNSUPPORTED` that names the line of the patch. */
export function parsePatch(text: string): FilePatch[] {
  const cursor = cursorOver(bytesOfText(text));
  return hasSections(cursor) ? parseSections(cursor) : parseUnified(cursor);
}
