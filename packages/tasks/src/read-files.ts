import { readdir, readFile, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import type { Files } from "@swarm/core";

/** What tools leave behind in a folder and nobody means to be part of a task. */
const LEFT_BEHIND = new Set([".git", "node_modules", "__pycache__", ".pytest_cache", ".DS_Store"]);

function isLeftBehind(name: string): boolean {
  return LEFT_BEHIND.has(name) || name.endsWith(".pyc");
}

/**
 * The files of a folder by their path in it, or one file by its name; sorted. Text where the bytes are UTF-8, else base64.
 * Throws for what is no plain file: a link could lead anywhere.
 */
export async function readFiles(path: string): Promise<Files> {
  const files: Files = {};
  const found = await stat(path);
  if (found.isDirectory()) await collect(path, "", files);
  else if (found.isFile()) files[basename(path)] = await contentOf(path);
  else throw noPlainFile(path);
  return files;
}

async function collect(folder: string, prefix: string, files: Files): Promise<void> {
  const entries = await readdir(folder, { withFileTypes: true });
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    if (isLeftBehind(entry.name)) continue;
    const path = join(folder, entry.name);
    if (entry.isDirectory()) await collect(path, `${prefix}${entry.name}/`, files);
    else if (entry.isFile()) files[prefix + entry.name] = await contentOf(path);
    else throw noPlainFile(path);
  }
}

function noPlainFile(path: string): Error {
  return new Error(`${path} is no plain file; a task holds neither links nor devices`);
}

async function contentOf(path: string): Promise<Files[string]> {
  const bytes = await readFile(path);
  const executable = ((await stat(path)).mode & 0o111) !== 0;
  if (executable) return { base64: bytes.toString("base64"), executable };
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return { base64: bytes.toString("base64") };
  }
}
