import { codeswarm } from "@swarm/agents";
import type { LLMClient, ModelId, Price, Team } from "@swarm/core";
import { type LoadedTask, mockModel } from "@swarm/tasks";
import type { OptionsOf } from "../flags.ts";
import { usageError } from "../parse-command-line.ts";
import { effortOf } from "../settings/policy.ts";
import type { Settings } from "../settings/settings.ts";
import { type ModelOptions, modelsFor } from "./models.ts";

type Options = Pick<OptionsOf<"run">, "mock" | "model" | "max-usd" | "allow-unpriced">;

/**
 * The team that flags and settings ask for. Throws for a flag that does not fit, or a model that cannot be called.
 * Asks no model anything.
 */
export async function teamFor(
  loaded: LoadedTask,
  options: Options,
  settings: Settings,
  models: ModelOptions,
): Promise<Team> {
  const chosen = options.mock ? { model: scriptedModel(loaded, options) } : await modelsFor(settings, models);
  const calls = { coder: settings.coderMaxIterations };
  const team = codeswarm({ ...chosen, calls, effort: effortOf(settings) });
  const unpriced = Object.entries(pricesOf(team)).flatMap(([id, price]) => (price ? [] : [id]));
  if (options["max-usd"] !== undefined && !options["allow-unpriced"] && unpriced.length > 0) {
    const way = "use --max-tokens, or leave them uncounted with --allow-unpriced";
    throw usageError("--max-usd", `dollars cannot be counted: no price is known of ${unpriced.join(", ")}; ${way}`);
  }
  return withMaxTokens(team, "coder", settings.coderMaxTokens);
}

export function pricesOf(team: Team): Record<ModelId, Price | null> {
  const models = Object.values(team.roles).flatMap((role) => [...role.models]);
  return Object.fromEntries(models.map(({ id, price }) => [id, price]));
}

function withMaxTokens(team: Team, name: string, maxTokens: number): Team {
  const role = team.roles[name];
  return role ? { ...team, roles: { ...team.roles, [name]: { ...role, maxTokens } } } : team;
}

function scriptedModel(loaded: LoadedTask, { model }: Options): LLMClient {
  if (model.length > 0) throw usageError("--model", "does not go with --mock, which answers for every role");
  return { ...mockModel(loaded), price: { input: 0, output: 0 } };
}
