import { calcPrice, findProvider, type TieredPrices } from "@pydantic/genai-prices";
import type { LLMClient, ModelId, Price } from "@swarm/core";
import { wrapClient } from "./wrap-client.ts";

/** The list, its version and its day. The package exports neither, so that a test compares the version. */
const SOURCE = "genai-prices 0.1.8 of 2026-09-23";
/** Where the list has another name for a provider than its models' ids. */
const LISTED_AS: Readonly<Record<string, string>> = { gemini: "google" };

/**
 * What the bundled list says of a model: US dollars for a million tokens, and the context window where it is listed. Null,
 * never 0, where the list has no price for both input and output, as for models of a server of your own, models that are
 * free, and ones that are newer than the list. Asks nothing of the network.
 *
 * The provider is the id's first half, and has to be one of the list's by its very name. Models are matched by the list's
 * own rules, which take a variant for the model whose name it begins with; `source` then says for which, such as
 * `genai-prices 0.1.8 of 2026-09-23, as claude-sonnet-4-5` for `claude-sonnet-4-5-20250929`. Where longer requests cost more, the price
 * is the one of the shortest: the cost of a call beyond that step is too low. The cache's write price is the one of its
 * five minutes. Where a price changes on a day or by the
 * hour, `at` decides: a run keeps the prices of its start.
 */
export function priceOf(id: ModelId, at: Date = new Date()): { price: Price; window: number | null } | null {
  const colon = id.indexOf(":");
  const provider = id.slice(0, Math.max(0, colon));
  const providerId = Object.hasOwn(LISTED_AS, provider) ? LISTED_AS[provider]! : provider;
  // The list would also take any name that holds a provider's, such as that of a proxy with prices of its own.
  if (providerId === "" || findProvider({ providerId })?.id !== providerId) return null;
  const model = id.slice(colon + 1);
  const found = calcPrice({}, model, { providerId, timestamp: at });
  if (found === null) return null;
  const { input_mtok, output_mtok, cache_read_mtok, cache_write_mtok } = found.model_price;
  const input = base(input_mtok);
  const output = base(output_mtok);
  const cacheRead = base(cache_read_mtok);
  const cacheWrite = base(cache_write_mtok);
  if (input === undefined || output === undefined) return null;
  const listed = found.model.id;
  return {
    price: {
      input,
      output,
      ...(cacheRead !== undefined && { cacheRead }),
      ...(cacheWrite !== undefined && { cacheWrite }),
      source: listed === model ? SOURCE : `${SOURCE}, as ${listed}`,
    },
    window: found.model.context_window ?? null,
  };
}

/** A client with the list's price and context window where it has none of its own. */
export function withPrice(client: LLMClient): LLMClient {
  const found = priceOf(client.id);
  if (found === null) return client;
  return wrapClient(client, { price: client.price ?? found.price, window: client.window ?? found.window });
}

function base(price: number | TieredPrices | undefined): number | undefined {
  return typeof price === "object" ? price.base : price;
}
