import { didYouMean, InvalidInputError } from "@swarm/core";
import { type Env, keyIn, PROVIDERS, type Provider } from "./providers.ts";

/**
 * Whose model `id` names: `provider:model`, or a bare model name, whose provider is told by how it begins; by a slash in it,
 * as those of OpenRouter have, where its key is set; and else by the only key that is set. A model's own name may hold colons.
 * Throws an {@link InvalidInputError} where that leaves none or several.
 */
export function findProvider(id: string, env: Env): { provider: Provider; model: string } {
  const [, name, model = ""] = /^([^:/]*):(.*)$/s.exec(id) ?? [undefined, undefined, id];
  if (model.trim() === "") throw new InvalidInputError("model", `${JSON.stringify(id)} names no model; ${form()}`);
  if (name === undefined) return { provider: providerOfBare(model, env), model };
  const provider = PROVIDERS.find((one) => one.name === name);
  if (provider) return { provider, model };
  const near = didYouMean(name, namesOf(PROVIDERS)) || `; ${form()}`;
  throw new InvalidInputError("model", `${JSON.stringify(name)} of ${JSON.stringify(id)} is no provider${near}`);
}

function providerOfBare(model: string, env: Env): Provider {
  const named = PROVIDERS.find(({ models }) => models?.test(model));
  if (named) return named;
  const keyed = PROVIDERS.filter(({ keyVariables }) => keyIn(keyVariables, env) !== undefined);
  const routed = keyed.find(({ name }) => name === "openrouter");
  if (routed && model.includes("/")) return routed;
  if (keyed.length === 1) return keyed[0]!;
  const wrong = `${JSON.stringify(model)} does not say whose model it is`;
  const right = (keyed.length > 0 ? keyed : PROVIDERS).map(({ name }) => `${name}:${model}`).join(", ");
  const keys = keyed.length > 0 ? "several keys are set" : "no key is set";
  throw new InvalidInputError("model", `${wrong}, and ${keys}; give one of ${right}`);
}

function form(): string {
  return `give provider:model, where the provider is one of ${namesOf(PROVIDERS).join(", ")}`;
}

function namesOf(providers: readonly Provider[]): string[] {
  return providers.map(({ name }) => name);
}
