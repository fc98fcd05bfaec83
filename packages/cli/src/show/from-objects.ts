import { InvalidInputError, NotFoundError } from "@swarm/core";

/**
 * What is read with the help of a run's stored files, or an {@link InvalidInputError} that says in which folder they are not,
 * and what would be `right`.
 */
export async function fromObjects<T>(
  { runId, objects, right }: { runId: string; objects: string; right: string },
  read: () => Promise<T>,
): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof NotFoundError)) throw error;
    const problem = `${objects} does not hold the files of run ${runId} (${error.message})`;
    throw new InvalidInputError("--runs", `${problem}; ${right}`, { cause: error });
  }
}

/** What would be right for a command that goes on with a run. */
export const OBJECTS_BESIDE_LOG =
  "a run goes on where its log lies beside the folder `objects` that it was written with";
