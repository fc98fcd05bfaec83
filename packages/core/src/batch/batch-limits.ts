import type { Clock } from "../clock.ts";
import type { Executor } from "../contracts/executor.ts";
import { BatchBudget } from "./batch-budget.ts";
import { LimitedHost, type LimitedRun } from "./limited-host.ts";
import type { BatchOptions } from "./options.ts";
import { ProviderGates } from "./provider-gates.ts";
import { Room } from "./room.ts";

/**
 * What all runs of a batch may do together. A call meets the log before it is made, wherever its step runs, and on its way there it
 * waits here: so the limits hold over any number of workers, and need nothing of them.
 */
export class BatchLimits {
  readonly budget: BatchBudget;
  readonly #gates: ProviderGates;
  readonly #places: Readonly<Record<string, number>>;
  readonly #rooms = new Map<string, Room>();

  constructor({ rates = {}, teamConcurrency = {}, usd }: BatchOptions, clock: Clock) {
    this.#gates = new ProviderGates(rates, clock);
    this.#places = teamConcurrency;
    this.budget = new BatchBudget(usd ?? Number.POSITIVE_INFINITY);
  }

  /** The executor of one run, behind the limits. */
  before(executor: Executor, run: LimitedRun): Executor {
    return {
      specificationVersion: "v1",
      preflight: async (team, options) => executor.preflight?.(team, options),
      runStep: (step, host) =>
        this.#roomOf(step.team.name).with(host.signal, async () => {
          const limited = new LimitedHost(host, { gates: this.#gates, budget: this.budget, ...run });
          try {
            return await executor.runStep(step, limited);
          } finally {
            limited.close();
          }
        }),
    };
  }

  #roomOf(team: string): Room {
    const room = this.#rooms.get(team) ?? new Room(this.#places[team] ?? Number.POSITIVE_INFINITY);
    this.#rooms.set(team, room);
    return room;
  }
}
