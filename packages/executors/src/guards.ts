import { canonicalJson, createGuard, type Guard, type GuardPolicy } from "@swarm/core";

/**
 * A guard for each policy that runs bring. Whoever performs one attempt after another keeps them: a circuit that opened in one is
 * open in the next, whosever run that is.
 */
export class Guards {
  readonly #guards = new Map<string, Guard>();

  of(policy: Partial<GuardPolicy>): Guard {
    const name = canonicalJson(policy);
    const guard = this.#guards.get(name) ?? createGuard(policy);
    this.#guards.set(name, guard);
    return guard;
  }

  dispose(): void {
    for (const guard of this.#guards.values()) guard.dispose();
    this.#guards.clear();
  }
}
