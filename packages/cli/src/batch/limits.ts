import { didYouMean, type ProviderRate } from "@swarm/core";
import type { OptionsOf } from "../flags.ts";
import { usageError } from "../parse-command-line.ts";
import { numberAbove0 } from "../run/limits.ts";

/** The rates of providers. Throws for a flag that is wrong, and for a provider that no model of the batch is of. */
export function ratesFrom(
  options: Pick<OptionsOf<"batch">, "rate" | "token-rate">,
  providers: readonly string[],
): Record<string, ProviderRate> {
  const requests = byProvider("--rate", options.rate, providers);
  const tokens = byProvider("--token-rate", options["token-rate"], providers);
  return Object.fromEntries(
    providers.map((provider) => {
      const [requestsPerMinute, tokensPerMinute] = [requests.get(provider), tokens.get(provider)];
      return [
        provider,
        {
          ...(requestsPerMinute === undefined ? {} : { requestsPerMinute }),
          ...(tokensPerMinute === undefined ? {} : { tokensPerMinute }),
        },
      ];
    }),
  );
}

function byProvider(flag: string, given: readonly string[], providers: readonly string[]): Map<string, number> {
  const rates = new Map<string, number>();
  for (const text of given) {
    const [, provider, number] = /^([^=]+)=(.+)$/.exec(text) ?? [];
    if (provider === undefined || number === undefined)
      throw usageError(flag, `${JSON.stringify(text)} is not of the form <provider>=<n>`);
    if (!providers.includes(provider)) {
      const near = didYouMean(provider, providers) || `; they are of ${providers.join(", ")}`;
      throw usageError(flag, `no model of the batch is of ${JSON.stringify(provider)}${near}`);
    }
    if (rates.has(provider)) throw usageError(flag, `${provider} is given twice`);
    rates.set(provider, numberAbove0(flag, number, false));
  }
  return rates;
}
