import { MOST_CANDIDATES } from "@swarm/agents";
import type { LLMClient, Memory, ModelId, Price, Task, Team } from "@swarm/core";
import { type LoadedTask, mockModel } from "@swarm/tasks";
import type { OptionsOf } from "../flags.ts";
import { usageError } from "../parse-command-line.ts";
import { effortOf } from "../settings/policy.ts";
import type { Settings } from "../settings/settings.ts";
import type { Makings, TeamEntry } from "../teams/entry.ts";
import type { TeamName } from "../teams/names.ts";
import { requireTaken, rolesOf } from "../teams/teams.ts";
import { wholeNumber } from "./limits.ts";
import { type ModelOptions, modelsFor } from "./models.ts";

type Options = Pick<OptionsOf<"run">, "mock" | "model" | "race" | "max-usd" | "allow-unpriced">;

/**
 * The team as flags and settings ask for it. Throws for a flag that does not fit, or a model that cannot be called.
 * Asks no model anything.
 */
export async function teamFor(
  entry: TeamEntry,
  loaded: LoadedTask,
  options: Options,
  settings: Settings,
  models: ModelOptions,
  memory: Memory,
): Promise<Team> {
  if (options.mock) refuseModels(options);
  const race = wholeNumber("--race", options.race, { min: 1, max: MOST_CANDIDATES });
  if (race > 1) requireTaken("race", entry);
  const chosen = options.mock ? { model: freeMock(loaded, entry.name) } : await modelsFor(entry, settings, models);
  const team = teamOf(entry, { ...chosen, race, memory: { store: memory, topK: settings.memoryTopK } }, settings);
  if (!options["allow-unpriced"]) refuseUnpriced(team, fieldInDollars(options, loaded.task));
  return team;
}

/** A team with these models, as the settings have it. */
export function teamOf(entry: TeamEntry, chosen: Omit<Makings, "settings" | "effort">, settings: Settings): Team {
  return entry.make({ ...chosen, settings, effort: effortOf(settings, rolesOf(entry)) });
}

/** The scripted model of a task in all roles of a team. Throws for a task without one. */
export function freeMock(loaded: LoadedTask, team: TeamName): LLMClient {
  return { ...mockModel(loaded, { team }), price: { input: 0, output: 0 } };
}

/** What sets a limit in dollars, if something does. */
export function fieldInDollars(options: Pick<Options, "max-usd">, { limits }: Pick<Task, "limits">): string | null {
  if (options["max-usd"] !== undefined) return "--max-usd";
  return limits?.usd === undefined ? null : "limits.usd";
}

/** As core refuses it, in the words of the command. `field` is what sets a limit in dollars; null where nothing does. */
export function refuseUnpriced(team: Team, field: string | null): void {
  const unpriced = Object.entries(pricesOf(team)).flatMap(([id, price]) => (price ? [] : [id]));
  if (field === null || unpriced.length === 0) return;
  const way = "use --max-tokens, or leave them uncounted with --allow-unpriced";
  throw usageError(field, `dollars cannot be counted: no price is known of ${unpriced.join(", ")}; ${way}`);
}

export function pricesOf(team: Team): Record<ModelId, Price | null> {
  const models = Object.values(team.roles).flatMap((role) => [...role.models]);
  return Object.fromEntries(models.map(({ id, price }) => [id, price]));
}

export function refuseModels({ model }: Pick<Options, "model">): void {
  if (model.length > 0) throw usageError("--model", "does not go with --mock, which answers for every role");
}
