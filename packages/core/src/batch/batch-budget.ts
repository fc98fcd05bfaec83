import type { RunEvent } from "../contracts/event.ts";
import type { ModelId, Price } from "../contracts/model.ts";
import { Ledger } from "../log/ledger.ts";
import { Wake } from "../wake.ts";

/** What one run under way takes from the budget. `before` of it was spent by earlier lives of the run, and is counted already. */
export type RunAccount = { ledger: Ledger; before: number; calls: OpenCalls };

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
    const account = { ledger: new Ledger(prices), before, calls: new OpenCalls() };
    this.#accounts.add(account);
    return account;
  }

  /** The run is over: a call of it that has not ended costs what was reserved for it. */
  close(account: RunAccount): void {
    this.#accounts.delete(account);
    this.spend(chargedTo(account));
    this.#changes.wake();
  }

  apply({ ledger, calls }: RunAccount, event: RunEvent): void {
    ledger.apply(event);
    calls.apply(event);
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
    const oneMayEnd = [...this.#accounts].some(({ calls }) => calls.areUnderWay);
    return oneMayEnd && charged - open + usd <= this.#usd ? "later" : "never";
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

/** Calls of a run to models that have not ended, but for those that an earlier life left open and that are not made again. */
class OpenCalls {
  readonly #underWay = new Set<string>();
  readonly #left = new Set<string>();

  get areUnderWay(): boolean {
    return this.#underWay.size > 0;
  }

  apply({ stepId, key, payload }: RunEvent): void {
    if (payload.type === "recovered" && payload.how === "resume") {
      for (const call of this.#underWay) this.#left.add(call);
      this.#underWay.clear();
    } else if (payload.type === "begin" && payload.call.op === "model") {
      const begun = key === null ? this.#madeAgain(stepId) : nameOf(stepId, key);
      if (begun) this.#underWay.add(begun);
    } else if (payload.type === "end" && key !== null) {
      this.#underWay.delete(nameOf(stepId, payload.of));
    }
  }

  /** One that was left and is made again begins without a key; so does a request that is made once more, whose call is under way. */
  #madeAgain(stepId: string): string | undefined {
    const call = [...this.#left].find((name) => name.startsWith(nameOf(stepId, "")));
    if (call) this.#left.delete(call);
    return call;
  }
}

function nameOf(stepId: string, key: string): string {
  return `${stepId} ${key}`;
}

/** A run that goes on is given its past event by event. */
function chargedTo({ ledger, before }: RunAccount): number {
  return Math.max(0, ledger.dollars().charged - before);
}
