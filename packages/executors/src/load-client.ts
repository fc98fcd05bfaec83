import { SwarmError } from "@swarm/core";

/** A client that not every user of this package has. Rejects with `CLIENT_MISSING` where it is not installed. */
export async function loadClient<T>(packages: string, load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== "ERR_MODULE_NOT_FOUND") throw cause;
    throw new SwarmError("CLIENT_MISSING", `install ${packages} beside @swarm/executors`, { cause });
  }
}
