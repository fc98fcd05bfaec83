import {
  InvalidInputError,
  type JsonObject,
  type LLMClient,
  type Memory,
  type ModelId,
  type Team,
  type TeamRef,
} from "@swarm/core";
import { type MemoryOptions, type MemorySettings, memoryFrom } from "./team-memory.ts";
import { type Models, modelsFrom } from "./team-roles.ts";

/**
 * The same team from its reference, in another process: `resolve` gives the model of an id, with that process's keys. A team
 * that has a memory does without where this process gives none; its log says so. Throws an `InvalidInputError` `TEAM_MISMATCH`
 * where another team is asked for, or another version of it.
 */
export type TeamFrom = (ref: TeamRef, resolve: (id: ModelId) => LLMClient, ports?: { memory?: Memory }) => Team;

type Config<R extends string> = MemorySettings & { models: Record<R, ModelId[]> };

/** How a team is made again: its options are its configuration, with models and a memory that are alive. */
export function teamFrom<R extends string, C extends Config<R>>(
  identity: Pick<TeamRef, "name" | "version">,
  roles: readonly [R, ...R[]],
  checkConfig: (config: JsonObject) => C,
  make: (options: Omit<C, keyof Config<R>> & MemoryOptions & { model: Models; models: Record<R, Models> }) => Team,
): TeamFrom {
  return (ref, resolve, { memory: store } = {}) => {
    checkIdentity(ref, identity);
    const { models: ids, windowTurns, memory, ...settings } = checkConfig(ref.config);
    const models = modelsFrom(roles, ids, resolve);
    return make({ ...settings, ...memoryFrom({ windowTurns, memory }, store), model: models[roles[0]], models });
  };
}

function checkIdentity(ref: TeamRef, { name, version }: Pick<TeamRef, "name" | "version">): void {
  if (ref.name !== name) {
    throw new InvalidInputError("team.name", `${JSON.stringify(ref.name)} is not ${name}`, { code: "TEAM_MISMATCH" });
  }
  if (ref.version === version) return;
  const message = `this package makes version ${version}, and ${ref.version} is asked for`;
  throw new InvalidInputError("team.version", message, { code: "TEAM_MISMATCH" });
}
