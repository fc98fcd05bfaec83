import { ProviderError } from "@swarm/core";
import { providerFault } from "./provider-fault.ts";
import { TimedOut } from "./time-limits.ts";

/** Long enough for a server at hand, which answers at once or is not there. */
const PATIENCE_MS = 2000;

/**
 * Whether a server is there, by one request that runs no model: any answer will do. Rejects with a {@link ProviderError}
 * that says where it was looked for; `remedy` says what would help.
 */
export async function assertReachable(
  id: string,
  baseURL: string,
  remedy: string,
  patienceMs = PATIENCE_MS,
): Promise<void> {
  const signal = AbortSignal.timeout(patienceMs);
  try {
    const response = await fetch(baseURL, { signal, redirect: "manual" });
    await response.body?.cancel();
  } catch (error) {
    const fault = signal.aborted ? new TimedOut(`no answer within ${patienceMs} ms`) : error;
    const { code, message, cause } = providerFault(id, fault, "UNREACHABLE");
    const { origin } = new URL(baseURL); // and no more of it, because an address can hold a password
    throw new ProviderError(code, `${message}, at ${origin}; ${remedy}`, { retryable: true, cause });
  }
}
