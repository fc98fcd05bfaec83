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
  const maxTokens = { coder: settings.coderMaxTokens };
  const commandTimeoutSeconds = settings.execTimeoutSeconds;
  const team = codeswarm({ ...chosen, calls, maxTokens, commandTimeoutSeconds, effort: effortOf(settings) });
  if (!options["allow-unpriced"]) refuseUnpriced(team, options, loaded);
  return team;
}

/** As core refuses it, in the words of the command. */
function refuseUnpriced(team: Team, options: Options, { task }: LoadedTask): void {
  const field = options["max-usd"] !== undefined ? "--max-usd" : task.limits?.usd !== undefined ? "limits.usd" : null;
  const unpriced = Object.entries(pricesOf(team)).flatMap(([id, price]) => (price ? [] : [id]));
  if (field === null || unpriced.length === 0) return;
  const way = "use --max-tokens, or leave them uncounted with --allow-unpriced";
  throw usageError(field, `dollars cannot be counted: no price is known of ${unpriced.join(", ")}; ${way}`);
}

export function pricesOf(team: Team): Record<ModelId, Price | null> {
  const models = Object.values(team.roles).flatMap((role) => [...role.models]);
  return Object.fromEntries(models.map(({ id, price }) => [id, price]));
}

function scriptedModel(loaded: LoadedTask, { model }: Options): LLMClient {
  if (model.length > 0) throw usageError("--model", "does not go with --mock, which answers for every role");
  return { ...mockModel(loaded), price: { input: 0, output: 0 } };
}
