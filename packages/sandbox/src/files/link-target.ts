import { isUtf8 } from "node:buffer";
import { readlinkSync } from "node:fs";
import { PathError } from "@swarm/core";
import { escapeBytes } from "./escape-bytes.ts";

/** The target of the link at `absolute`, as it is; null when it is not UTF-8, which no snapshot can hold. */
export function linkTarget(absolute: string): string | null {
  const bytes = readlinkSync(absolute, "buffer");
  return isUtf8(bytes) ? bytes.toString() : null;
}

/** The same, and a {@link PathError} for `path` in place of null. */
export function keepableTarget(absolute: string, path: string): string {
  const target = linkTarget(absolute);
  if (target !== null) return target;
  const bytes = escapeBytes(readlinkSync(absolute, "buffer"));
  throw new PathError(
    path,
    `cannot be kept: it links to a name that is not UTF-8 (${bytes}). Remove it or link elsewhere`,
  );
}
