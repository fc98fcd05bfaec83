import { readdir } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { InvalidInputError } from "@swarm/core";
import type { RunSource } from "@swarm/corpus";
import { localSandbox } from "@swarm/sandbox";
import { isFolder } from "../kind-of-file.ts";
import { reasonOf } from "../require-writable.ts";
import { findLog } from "../show/find-log.ts";

/**
 * The logs that `names` mean, each with the store beside it: runs as {@link findLog} finds them, or folders of logs; without
 * names all of `runs`. Throws an {@link InvalidInputError} for what is not there.
 */
export async function sourcesOf(names: readonly string[], runs: string, cwd: string): Promise<RunSource[]> {
  const found = await Promise.all(
    (names.length === 0 ? [runs] : names).map(async (name) => {
      const folder = resolve(cwd, name);
      return isFolder(folder) ? logsIn(folder) : [await findLog(name, runs, cwd)];
    }),
  );
  const stores = new Map<string, Omit<RunSource, "log">>();
  return [...new Set(found.flat())].map((log) => {
    const folder = dirname(log);
    const store = stores.get(folder) ?? storeBeside(folder);
    stores.set(folder, store);
    return { log, ...store };
  });
}

async function logsIn(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch((error: unknown) => {
    throw new InvalidInputError("run", `${folder} cannot be read (${reasonOf(error)})`);
  });
  return names
    .filter((name) => name.endsWith(".jsonl"))
    .sort()
    .map((name) => join(folder, name));
}

function storeBeside(folder: string): Omit<RunSource, "log"> {
  const { blobs, snapshots } = localSandbox({ store: join(folder, "objects"), isolation: "none" });
  return { blobs, snapshots };
}
