import { createWriteStream, existsSync, realpathSync } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import type { Output } from "../io.ts";
import { isRegularFile } from "../kind-of-file.ts";

/** Writes lines to a stream, no faster than they are read. Who reads may stop: the rest is not made then. */
export async function writeRows(lines: AsyncIterable<string>, stream: Output, signal: AbortSignal): Promise<void> {
  try {
    await pipeline(lines, stream, { end: false, signal });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EPIPE") throw error;
  }
}

/**
 * Writes lines to a file, which is there with all of them or not at all. One that was there before is replaced; a device or a
 * pipe is written to.
 */
export async function writeRowsFile(lines: AsyncIterable<string>, file: string, signal: AbortSignal): Promise<void> {
  if (existsSync(file) && !isRegularFile(file)) return await pipeline(lines, createWriteStream(file), { signal });
  const target = existsSync(file) ? realpathSync(file) : file; // a link stays one
  const unfinished = `${target}.${process.pid}.new`;
  try {
    await pipeline(lines, createWriteStream(unfinished), { signal });
    await rename(unfinished, target);
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  }
}
