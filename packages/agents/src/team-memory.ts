import { type Memory, type Role, SwarmError } from "@swarm/core";
import { z } from "zod";

/** What a team's caller says of what its roles remember. */
export type MemoryOptions = {
  /** Turns of a role's thread that a request keeps, each an answer with what it was told in return, 1 to 1000. Default 10. */
  windowTurns?: number;
  /**
   * What the roles that remember ask of earlier runs before each call, and the most that one answer tells (1 to 100, default
   * 3). Nothing is written to it. Default: none.
   */
  memory?: NonNullable<Role["memory"]>;
};

/** The same as data. */
export type MemorySettings = {
  /** As in {@link MemoryOptions}. */
  windowTurns: number;
  /** The most that a role is told of earlier runs before a call, 1 to 100. Null: the team has no memory. */
  memory: { topK: number } | null;
};

/** For the schema of a team's configuration. */
export const MEMORY_SETTINGS = {
  windowTurns: z.int().min(1).max(1000),
  memory: z.strictObject({ topK: z.int().min(1).max(100) }).nullable(),
};

/** What of it a team's configuration holds, and what each role that remembers has. */
export function memoryOf(options: MemoryOptions): { settings: MemorySettings; remembering: Pick<Role, "memory"> } {
  const { windowTurns = 10 } = options;
  if (!options.memory) return { settings: { windowTurns, memory: null }, remembering: {} };
  const { store, topK = 3 } = options.memory;
  return { settings: { windowTurns, memory: { topK } }, remembering: { memory: { store, topK } } };
}

/** Stands for the memory of a team in a process that was given none: each question fails, and the role goes on without. */
const NO_MEMORY: Memory = {
  specificationVersion: "v1",
  recall: () => Promise.reject(new SwarmError("NO_MEMORY", "this process was given no memory for the team")),
};

/** The options again, in another process, with its store. */
export function memoryFrom({ windowTurns, memory }: MemorySettings, store: Memory = NO_MEMORY): MemoryOptions {
  return { windowTurns, ...(memory ? { memory: { store, ...memory } } : {}) };
}
