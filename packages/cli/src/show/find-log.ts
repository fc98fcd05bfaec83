import { readdir, stat } from "node:fs/promises";
import { join, resolve, sep } from "node:path";
import { InvalidInputError } from "@swarm/core";
import { reasonOf } from "../require-writable.ts";

const SUFFIX = ".jsonl";
const MOST_NAMED = 5;

/**
 * The path of the log that `name` means: a path, a run's id, the beginning of one id only, or `latest`. Throws an
 * {@link InvalidInputError} that names the runs that there are.
 */
export async function findLog(name: string, runs: string, cwd: string): Promise<string> {
  if (name.endsWith(SUFFIX) || name.includes("/") || name.includes(sep)) return resolve(cwd, name);
  const ids = await runIds(runs);
  if (ids.length === 0) throw new InvalidInputError("run", `there is no run in ${runs}; --runs names another folder`);
  if (name === "latest") return logOf(runs, ids[0]!);
  if (ids.includes(name)) return logOf(runs, name);
  const fitting = ids.filter((id) => id.startsWith(name));
  if (fitting.length === 1) return logOf(runs, fitting[0]!);
  if (fitting.length > 1)
    throw new InvalidInputError("run", `${name} is the beginning of ${fitting.length} runs: ${named(fitting)}`);
  throw new InvalidInputError("run", `there is no run ${name} in ${runs}; the latest are ${named(ids)}`);
}

/** The ids of all runs, the one that was written to last first. */
async function runIds(runs: string): Promise<string[]> {
  const names = await readdir(runs).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return [];
    const problem = error.code === "ENOTDIR" ? "is no folder" : `cannot be read (${reasonOf(error)})`;
    throw new InvalidInputError("--runs", `${runs} ${problem}; name the folder of the logs`);
  });
  const ids = names.filter((name) => name.endsWith(SUFFIX)).map((name) => name.slice(0, -SUFFIX.length));
  const dated = await Promise.all(
    ids.map(async (id) => {
      const found = await stat(logOf(runs, id)).catch(() => null); // removed meanwhile, or a link that leads nowhere
      return found ? [{ id, at: found.mtimeMs }] : [];
    }),
  );
  return dated
    .flat()
    .sort((a, b) => b.at - a.at)
    .map(({ id }) => id);
}

function logOf(runs: string, id: string): string {
  return join(runs, `${id}${SUFFIX}`);
}

function named(ids: readonly string[]): string {
  const more = ids.length > MOST_NAMED ? ` and ${ids.length - MOST_NAMED} more` : "";
  return ids.slice(0, MOST_NAMED).join(", ") + more;
}
