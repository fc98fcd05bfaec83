import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { InvalidInputError, LogError, parseLog, type Trajectory, trajectoryOf } from "@swarm/core";
import { localSandbox } from "@swarm/sandbox";

/**
 * The run that a log tells of; `torn` where its last line was cut off in writing. Its files are read
 * from `objects` beside the log when they are asked for. Throws a {@link LogError} that names a damaged line.
 */
export async function readLog(path: string): Promise<{ trajectory: Trajectory; torn: boolean }> {
  const data = await readFile(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") throw new InvalidInputError("run", `there is no log ${path}`);
    throw error;
  });
  const { header, events, bytes } = inFile(path, () => parseLog(data));
  const { snapshots } = localSandbox({ store: join(dirname(path), "objects"), isolation: "none" });
  const torn = data.subarray(bytes).toString().trim() !== "";
  return { trajectory: trajectoryOf({ header, events, snapshots, location: path }), torn };
}

type LogCode = ConstructorParameters<typeof LogError>[0];

function inFile<T>(path: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof LogError)) throw error;
    throw new LogError(error.code as LogCode, `${path}: ${error.message}`, error.line);
  }
}
