import { type Effort, InvalidInputError, type LLMClient, type ModelId, type Role } from "@swarm/core";

/** A model and its fallbacks, in order. */
export type Models = Role["models"];

/** The models of a team's roles, as its caller names them. */
export type ModelChoice<R extends string> = {
  /** The model of every role that `models` does not name. A list is a model and its fallbacks, in order. */
  model: LLMClient | Models;
  models?: Partial<Record<R, LLMClient | Models>>;
};

/** Something for each role. */
export function byRole<R extends string, T>(roles: readonly R[], of: (role: R) => T): Record<R, T> {
  return Object.fromEntries(roles.map((role) => [role, of(role)])) as Record<R, T>;
}

/** Throws an {@link InvalidInputError} where a key of one of the settings is no role, such as a misspelt one. */
export function checkRoleNames(roles: readonly string[], settings: Readonly<Record<string, object>>): void {
  for (const [field, setting] of Object.entries(settings)) {
    const unknown = Object.keys(setting).find((name) => !roles.includes(name));
    if (unknown === undefined) continue;
    throw new InvalidInputError(`${field}.${unknown}`, `is no role; the roles are ${roles.join(", ")}`);
  }
}

/** The models of each role. Throws an {@link InvalidInputError} for a role without one. */
export function modelsOf<R extends string>(
  roles: readonly R[],
  { model, models = {} }: ModelChoice<R>,
): Record<R, Models> {
  return byRole(roles, (role) => listOf(role, (models as Partial<Record<R, LLMClient | Models>>)[role] ?? model));
}

/** The same from ids, in a process with keys of its own. */
export function modelsFrom<R extends string>(
  roles: readonly R[],
  ids: Record<R, readonly ModelId[]>,
  resolve: (id: ModelId) => LLMClient,
): Record<R, Models> {
  return byRole(roles, (role) => listOf(role, ids[role].map(resolve)));
}

function listOf(role: string, models: LLMClient | readonly LLMClient[]): Models {
  const [first, ...fallbacks] = [models].flat();
  if (first === undefined) {
    throw new InvalidInputError(`models.${role}`, "is missing; give `model`, or one for each role");
  }
  return [first, ...fallbacks];
}

/** What may be set for one role; what is not is left to the provider, or to core. */
type RoleSettings = {
  effort: Effort | undefined;
  maxTokens: number | undefined;
  temperature?: number | undefined;
};

export function roleWith(base: Pick<Role, "models" | "system" | "tools">, settings: RoleSettings): Role {
  return { ...base, ...withoutUnset(settings) };
}

/** The settings that are set. */
export function withoutUnset<T extends object>(settings: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined)) as never;
}
