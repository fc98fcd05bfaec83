import type { RunEvent } from "../contracts/event.ts";
import type { ModelId, Price } from "../contracts/model.ts";
import { Ledger } from "../log/ledger.ts";
import { Wake } from "../wake.ts";

/** What one run under way takes from the budget. `before` of it was spent by earlier lives of the run, and is counted already. */
export type RunAccount = { ledger: Ledger; before: number };

/**
 * US dollars of all runs of a batch. A call may begin where it fits beside what is spent and what the calls under way cost at most;
 * one that might fit once those have ended waits for them.
 */
export class BatchBudget {
  readonly #usd: number;
  /** By runs that are over. */
  #spent = 0;
  readonly #accounts = new Set<RunAccount>();
  readonly #changes = new Wake();

  constructor(usd: number) {
    this.#usd = usd;
  }

  /** What earlier lives of the batch took. */
  spend(usd: number): void {
    this.#spent += usd;
  }

  open(prices: Record<ModelId, Price | null>, before: number): RunAccount {
    const account = { ledger: new Ledger(prices), before };
    this.#accounts.add(account);
    return account;
  }

  /** The run is over: a call of it that has not ended costs what was reserved for it. */
  close(account: RunAccount): void {
    this.#accounts.delete(account);
    this.spend(chargedTo(account));
    this.#changes.wake();
  }

  apply({ ledger }: RunAccount, event: RunEvent): void {
    ledger.apply(event);
    if (event.payload.type === "end") this.#changes.wake();
  }

  /** Whether nothing is left, even if the calls under way cost nothing. */
  get isSpent(): boolean {
    const { charged, open } = this.#dollars();
    return charged - open >= this.#usd;
  }

  /** Whether calls that cost so much at most may begin: now, perhaps after the next change, or never. */
  admits(usd: number): "now" | "later" | "never" {
    const { charged, open } = this.#dollars();
    if (charged + usd <= this.#usd) return "now";
    return charged - open + usd <= this.#usd ? "later" : "never";
  }

  get change(): Promise<void> {
    return this.#changes.next;
  }

  #dollars(): { charged: number; open: number } {
    const accounts = [...this.#accounts];
    return {
      charged: accounts.reduce((sum, account) => sum + chargedTo(account), this.#spent),
      open: accounts.reduce((sum, { ledger }) => sum + ledger.dollars().open, 0),
    };
  }
}

/** A run that goes on is given its past event by event. */
function chargedTo({ ledger, before }: RunAccount): number {
  return Math.max(0, ledger.dollars().charged - before);
}
