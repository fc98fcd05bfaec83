import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { InvalidInputError, LogError, logWriterOf, parseLog, type Trajectory, trajectoryOf } from "@swarm/core";
import { localSandbox } from "@swarm/sandbox";
import { reasonOf } from "../require-writable.ts";

export type ReadRun = {
  trajectory: Trajectory;
  torn: boolean;
  objects: string;
  /** Id of the process that is at the run now; null where none is. */
  process: number | null;
};

/**
 * The run that a log tells of; `torn` where its last line was cut off in writing. Its files are read from the folder
 * `objects` in `runs`, by default beside the log, when they are asked for. Throws a {@link LogError} that names a damaged line.
 */
export async function readLog(path: string, runs = dirname(path)): Promise<ReadRun> {
  const writer = logWriterOf(path); // before the log is read: a run that ends meanwhile has its verdict in it
  const data = await readFile(path).catch((error: NodeJS.ErrnoException) => {
    const problem = error.code === "ENOENT" ? `there is no log ${path}` : `${path} cannot be read (${reasonOf(error)})`;
    throw new InvalidInputError("run", problem);
  });
  const { header, events, torn } = inFile(path, () => parseLog(data));
  const objects = join(runs, "objects");
  const { snapshots } = localSandbox({ store: objects, isolation: "none" });
  const trajectory = trajectoryOf({ header, events, snapshots, location: path });
  return { trajectory, torn, objects, process: writer?.pid ?? null };
}

function inFile<T>(path: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof LogError)) throw error;
    throw new LogError(error.code, `${path}: ${error.message}`, error);
  }
}
