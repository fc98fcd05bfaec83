import { codeswarm } from "@swarm/agents";
import type { LLMClient, ModelId, Price, Team } from "@swarm/core";
import { type LoadedTask, mockModel } from "@swarm/tasks";
import type { OptionsOf } from "../flags.ts";
import type { CliIO } from "../io.ts";
import { usageError } from "../parse-command-line.ts";
import { chooseModels } from "./models.ts";

type Options = Pick<OptionsOf<"run">, "mock" | "model" | "max-usd">;

/** The team with the models that the flags ask for. Throws for a flag that does not fit, or a missing key; calls nothing. */
export async function teamFor(loaded: LoadedTask, options: Options, env: CliIO["env"]): Promise<Team> {
  const team = codeswarm(
    options.mock ? { model: scriptedModel(loaded, options) } : await chooseModels(options.model, env),
  );
  const unpriced = Object.entries(pricesOf(team)).flatMap(([id, price]) => (price ? [] : [id]));
  if (options["max-usd"] !== undefined && unpriced.length > 0) {
    const message = `dollars cannot be counted: no price is known of ${unpriced.join(", ")}; use --max-tokens`;
    throw usageError("--max-usd", message);
  }
  return team;
}

export function pricesOf(team: Team): Record<ModelId, Price | null> {
  const models = Object.values(team.roles).flatMap((role) => [...role.models]);
  return Object.fromEntries(models.map(({ id, price }) => [id, price]));
}

function scriptedModel(loaded: LoadedTask, { model }: Options): LLMClient {
  if (model.length > 0) throw usageError("--model", "does not go with --mock, which answers for every role");
  return { ...mockModel(loaded), price: { input: 0, output: 0 } };
}
