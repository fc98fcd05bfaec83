import type { LLMClient } from "@swarm/core";

/** A client that is `client` but for `changes`. Its methods are called on it, so it may be an instance of a class. */
export function wrapClient(client: LLMClient, changes: Partial<LLMClient>): LLMClient {
  return {
    specificationVersion: client.specificationVersion,
    id: client.id,
    window: client.window,
    price: client.price,
    ...(client.preflight && { preflight: () => client.preflight?.() }),
    ...(client.cached && { cached: (request) => client.cached!(request) }),
    complete: (request, options) => client.complete(request, options),
    ...changes,
  };
}
