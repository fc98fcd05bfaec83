import { join } from "node:path";
import { InvalidInputError, type LLMClient, messageOf, sha256 } from "@swarm/core";
import { type CacheOptions, cachedOnDisk } from "./cache.ts";
import { findProvider } from "./find-provider.ts";
import type { ModelOptions } from "./model-options.ts";
import { type Access, accessTo, type Env, type Provider } from "./providers.ts";
import { assertReachable } from "./reachable.ts";
import { wrapClient } from "./wrap-client.ts";

export { PROVIDERS, type Provider } from "./providers.ts";

/** A `price` or `window` that is left out is what the bundled list says; one of null stays unknown. */
export type ModelOfOptions = ModelOptions & {
  /** Where keys and addresses are looked for, such as `process.env`. */
  env: Env;
  /** Keeps answers to cacheable requests. Default: none are kept. */
  cache?: CacheOptions;
};

/**
 * The client of a model that is named `provider:model`, or by its bare name where that, or the only key that is set, says
 * whose it is. Key and address come from `env` alone; the SDK that the provider needs is loaded, and no other. Makes no
 * request. The `preflight()` of a model on a server of your own rejects where the server cannot be reached.
 *
 * Rejects with an {@link InvalidInputError} for a name or an address that is none, with the code `MISSING_KEY` where the
 * key's variable, its `field`, is not set, and with `MISSING_SDK` where the SDK is not installed.
 */
export async function modelOf(id: string, options: ModelOfOptions): Promise<LLMClient> {
  const { env, cache, ...given } = options;
  const { provider, model } = findProvider(id, env);
  const access = accessTo(provider, env);
  // The list takes a while to load, and is not needed by who brings what it says.
  const isGiven = given.price !== undefined && given.window !== undefined;
  const listed = isGiven ? null : (await import("./prices.ts")).priceOf(`${provider.name}:${model}`);
  const { price = listed?.price ?? null, window = listed?.window ?? null } = given;
  const client = await connect(provider, model, access, { ...given, price, window });
  // answers of one server are no answers of another
  return cache
    ? cachedOnDisk(client, { ...cache, directory: join(cache.directory, sha256(access.baseURL ?? "").slice(0, 12)) })
    : client;
}

async function connect(provider: Provider, model: string, access: Access, given: ModelOptions): Promise<LLMClient> {
  const client = await withSdk(provider, async () => {
    switch (provider.api) {
      case "anthropic":
        return (await import("./anthropic.ts")).anthropic(model, { ...given, ...access });
      case "openai":
        return (await import("./openai.ts")).openai(model, { ...given, ...access });
      case "openai-compatible": {
        const { openaiCompatible } = await import("./openai-compatible.ts");
        return openaiCompatible({ name: provider.name, ...access })(model, given);
      }
    }
  });
  if (!provider.local) return client;
  const remedy = `start the server, or set ${provider.baseURLVariable} to where it is`;
  return wrapClient(client, { preflight: () => assertReachable(client.id, access.baseURL, remedy) });
}

async function withSdk(provider: Provider, load: () => Promise<LLMClient>): Promise<LLMClient> {
  const sdk = provider.api === "anthropic" ? "@anthropic-ai/sdk" : "openai";
  try {
    return await load();
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === "ERR_MODULE_NOT_FOUND";
    if (!isMissing || !messageOf(error).includes(`'${sdk}'`)) throw error;
    const problem = `models of ${provider.name} need the package ${sdk}, which is not installed: npm install ${sdk}`;
    throw new InvalidInputError("model", problem, { code: "MISSING_SDK", cause: error });
  }
}
