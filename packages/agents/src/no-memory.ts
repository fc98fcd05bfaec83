import { type Memory, SwarmError } from "@swarm/core";

/** Stands for the memory of a team in a process that was given none: each question fails, and the role goes on without. */
export const NO_MEMORY: Memory = {
  specificationVersion: "v1",
  recall: () => Promise.reject(new SwarmError("NO_MEMORY", "this process was given no memory for the team")),
};
