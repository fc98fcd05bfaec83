import { InvalidInputError, type LLMClient, type ModelId, type Role, SwarmError, type TeamRef } from "@swarm/core";
import { modelOf } from "@swarm/llm/models";
import { providerEnvironment } from "../settings/policy.ts";
import { secretsOf } from "../settings/secrets.ts";
import type { Settings } from "../settings/settings.ts";
import { modelsIn } from "../settings/values.ts";
import type { TeamEntry } from "../teams/entry.ts";
import type { TeamName } from "../teams/names.ts";
import type { TeamRole } from "../teams/roles.ts";
import { rolesOf, teamOfRef } from "../teams/teams.ts";

type Models = Role["models"];

export type ModelOptions = {
  /** Where answers that may be cached are kept. */
  cacheDirectory: string;
  /** What set a role's model: what is at fault where that is no model. */
  setBy(role: TeamRole): string;
};

/** The model of each role of a team, with its fallbacks; roles with the same one share its client. Throws as {@link clientsOf} does. */
export async function modelsFor(
  team: TeamEntry,
  settings: Settings,
  options: ModelOptions,
): Promise<{ model: Models; models: Partial<Record<TeamRole, Models>> }> {
  const roles = rolesOf(team);
  const idsOf = (role: TeamRole) => modelsIn(settings[`${role}Model`] ?? team.models[role]!);
  const wanted = wantedBy(roles.flatMap((role) => idsOf(role).map((id) => ({ id, role }))));
  const clients = await clientsOf(wanted, settings, options);
  const modelsOf = (role: TeamRole) => idsOf(role).map((id) => clients.get(id)!) as [LLMClient, ...LLMClient[]];
  return { model: modelsOf(roles[0]!), models: Object.fromEntries(roles.map((role) => [role, modelsOf(role)])) };
}

/** Each id with the roles that it is for. */
function wantedBy(pairs: readonly { id: ModelId; role: TeamRole }[]): Map<ModelId, TeamRole[]> {
  return new Map([...Map.groupBy(pairs, ({ id }) => id)].map(([id, of]) => [id, of.map(({ role }) => role)]));
}

/**
 * The clients of models, by id, each with the roles that it is for. Throws an {@link InvalidInputError} that tells of every
 * model that cannot be called, such as for a missing key, and of the roles that need it. Asks no model anything.
 */
export async function clientsOf(
  wanted: ReadonlyMap<ModelId, TeamRole[]>,
  settings: Settings,
  { cacheDirectory, setBy }: ModelOptions,
): Promise<Map<ModelId, LLMClient>> {
  const env = providerEnvironment(settings);
  const cache = { directory: cacheDirectory, ttlSeconds: settings.cacheTtlS, secrets: secretsOf(settings) };
  const clients = new Map<ModelId, LLMClient>();
  const problems: Problem[] = [];
  for (const [id, roles] of wanted) {
    try {
      const client = await modelOf(id, { env, cache });
      await client.preflight?.();
      clients.set(id, client);
    } catch (error) {
      if (!(error instanceof SwarmError)) throw error;
      problems.push({ error, ...toldFor(error, id, roles, setBy) });
    }
  }
  if (problems.length > 0) throw cannotBeCalled(problems);
  return clients;
}

/**
 * The clients of the models that a team's reference names: scripted ones as `play` gives them, and all others with the keys that
 * are set here. Throws as {@link clientsOf} does.
 */
export async function clientsOfTeam(
  ref: TeamRef,
  play: (scripts: readonly ModelId[], team: TeamName) => Promise<Map<ModelId, LLMClient>>,
  settings: Settings,
  options: ModelOptions,
): Promise<Map<ModelId, LLMClient>> {
  const entry = teamOfRef(ref);
  const { roles } = entry.from(ref, silentModel);
  const pairs = rolesOf(entry).flatMap((role) => (roles[role]?.models ?? []).map(({ id }) => ({ id, role })));
  const wanted = wantedBy(pairs);
  const scripts = [...wanted.keys()].filter((id) => id.startsWith("mock:"));
  for (const id of scripts) wanted.delete(id);
  const played = scripts.length > 0 ? await play(scripts, entry.name) : [];
  return new Map([...played, ...(await clientsOf(wanted, settings, options))]);
}

/** For a team that is only looked at, or that asks nothing since its run has its verdict. */
export function silentModel(id: ModelId): LLMClient {
  return {
    specificationVersion: "v1",
    id,
    window: null,
    price: null,
    async complete() {
      throw new SwarmError("MODEL_ASKED", `${id} was asked, where no model is to be asked anything`);
    },
  };
}

type Problem = { error: SwarmError; field: string; message: string };

/** An error of a model as one of the setting that names the model, or of the variable that it lacks. */
function toldFor(error: SwarmError, id: string, roles: TeamRole[], setBy: ModelOptions["setBy"]) {
  const own = error instanceof InvalidInputError ? error.field : "model";
  const field = own === "model" ? [...new Set(roles.map(setBy))].join(", ") : own;
  const what = error.message.replace(`${own}: `, "");
  return { field, message: `${what} (${id}, the model of ${roles.join(", ")})` };
}

function cannotBeCalled(problems: readonly Problem[]): InvalidInputError {
  const [first, ...others] = problems as [Problem];
  const told = [first.message, ...others.map(({ field, message }) => `${field}: ${message}`)];
  const help = problems.some(({ error }) => error.code === "MISSING_KEY")
    ? "; set it, or use --mock, which needs no key"
    : "";
  return new InvalidInputError(first.field, `${told.join("; ")}${help}`, {
    code: first.error.code,
    cause: first.error,
  });
}
