import { readFile } from "node:fs/promises";
import { InvalidInputError, isPack, LogError, type Pack, readPack } from "@swarm/core";
import { reasonOf } from "../require-writable.ts";

/** How the file of a pack is named by default. */
export const PACK_SUFFIX = ".pack.jsonl.gz";

/** Whether a run is named by the path of a pack. */
export function namesPack(name: string): boolean {
  return name.endsWith(".gz");
}

/** The pack at `path`. Throws a {@link LogError} that names file and line, or an {@link InvalidInputError} for `run`. */
export async function packAt(path: string): Promise<Pack> {
  const data = await readFile(path).catch((error: NodeJS.ErrnoException) => {
    const problem =
      error.code === "ENOENT" ? `there is no pack ${path}` : `${path} cannot be read (${reasonOf(error)})`;
    throw new InvalidInputError("run", problem);
  });
  if (!isPack(data)) throw new InvalidInputError("run", `${path} is no pack; swarm show --pack makes one`);
  try {
    return readPack(data);
  } catch (error) {
    if (!(error instanceof LogError)) throw error;
    throw new LogError(error.code, `${path}: ${error.message}`, error);
  }
}
