import type { Clock } from "../clock.ts";
import type { ModelId } from "../contracts/model.ts";
import { ProviderGate, type ProviderRate } from "./provider-gate.ts";

/** A gate for each provider, shared by all runs. */
export class ProviderGates {
  readonly #rates: Readonly<Record<string, ProviderRate>>;
  readonly #clock: Clock;
  readonly #gates = new Map<string, ProviderGate>();

  constructor(rates: Readonly<Record<string, ProviderRate>>, clock: Clock) {
    this.#rates = rates;
    this.#clock = clock;
  }

  /** That of a model's provider. */
  of(model: ModelId): ProviderGate {
    const provider = model.split(":", 1)[0]!;
    const gate = this.#gates.get(provider) ?? new ProviderGate(this.#rates[provider] ?? {}, this.#clock);
    this.#gates.set(provider, gate);
    return gate;
  }
}
