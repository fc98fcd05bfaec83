import { type Blobs, holdsSecret, InvalidInputError, type TaskSource } from "@swarm/core";
import { sha256 } from "./directory-blobs.ts";
import { sourceTree } from "./source-tree.ts";

/** Looks through a source and keeps nothing. Rejects with an {@link InvalidInputError} for a file that holds a secret. */
export async function refuseSecrets(source: TaskSource, secrets: readonly string[]): Promise<void> {
  const found = new Set<string>();
  const looking: Pick<Blobs, "put"> = {
    async put(data) {
      const bytes = typeof data === "string" ? Buffer.from(data) : data;
      const id = sha256(bytes);
      if (holdsSecret(bytes, secrets)) found.add(id);
      return id;
    },
  };
  for (const [path, entry] of await sourceTree(source, looking)) {
    if (entry.kind !== "file" || !found.has(entry.sha256)) continue;
    throw new InvalidInputError(
      "source",
      `${JSON.stringify(path)} holds a value that is named as a secret of the run, which keeps its files: take it out, or ` +
        "give a repository and a revision, which holds only what is committed",
    );
  }
}
