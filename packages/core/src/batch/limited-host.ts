import { untilAborted } from "../abort.ts";
import type { EventDraft, RunEvent } from "../contracts/event.ts";
import type { Site, StepHost } from "../contracts/executor.ts";
import type { JsonObject } from "../contracts/json.ts";
import { type ModelId, NO_TOKENS, type Price, type Tokens } from "../contracts/model.ts";
import { RefusedError } from "../errors.ts";
import { billedTokens, costOf, totalTokens } from "../log/ledger.ts";
import type { BatchBudget } from "./batch-budget.ts";
import type { ProviderGates } from "./provider-gates.ts";

/** One run of those that share limits. */
export type LimitedRun = {
  prices: Readonly<Record<ModelId, Price | null>>;
  /** The budget has no room for its next call: it must not go on. */
  onSpent(): void;
};

type Shared = { gates: ProviderGates; budget: BatchBudget };
type ModelCall = { model: ModelId; reserve: Tokens };

/** The engine's side of one step, with the limits of a batch before its log. */
export class LimitedHost implements StepHost {
  readonly #host: StepHost;
  readonly #limits: Shared & LimitedRun;
  /** Calls that began, by their keys; null for one that ended. */
  readonly #calls = new Map<string, ModelCall | null>();
  readonly #over = new AbortController();
  #holder = new AbortController();

  constructor(host: StepHost, limits: Shared & LimitedRun) {
    this.#host = host;
    this.#limits = limits;
  }

  get signal(): AbortSignal {
    return this.#host.signal;
  }
  get secrets(): readonly string[] {
    return this.#host.secrets;
  }
  site(): Promise<Site> {
    return this.#host.site();
  }

  /** Whoever waits for an earlier holder need wait no more: it is fenced. */
  async claim(stepId: string): Promise<{ epoch: number; recorded: RunEvent[] }> {
    this.#holder.abort();
    this.#holder = new AbortController();
    const held = await this.#host.claim(stepId);
    for (const { payload } of held.recorded) if (payload.type === "end") this.#calls.set(payload.of, null);
    return held;
  }

  async append(epoch: number, events: EventDraft[]): Promise<void> {
    const begins = events.flatMap((event) => this.#begun(event));
    const usd = begins.reduce((sum, call) => sum + this.#cost(call), 0);
    const signal = AbortSignal.any([this.signal, this.#over.signal, this.#holder.signal]);
    for (const { model, reserve } of begins) await this.#limits.gates.of(model).enter(totalTokens(reserve), signal);
    while (usd > 0 && !signal.aborted) {
      const admitted = this.#limits.budget.admits(usd);
      if (admitted === "never") this.#limits.onSpent(); // the log refuses the call then
      if (admitted !== "later") break;
      await untilAborted(signal, () => this.#limits.budget.change).catch(() => {});
    }
    if (this.#over.signal.aborted) throw new RefusedError("ABORTED", "the step is over; no call begins");
    const appended = this.#host.append(epoch, events); // charges the budget before anything else is asked of it
    for (const event of events) this.#settle(event);
    await appended;
  }

  /** The step is over: what still waits is refused. */
  close(): void {
    this.#over.abort();
  }

  /** A call to a model that is going to be made: one whose end the log holds is not. */
  #begun({ key, payload }: EventDraft): ModelCall[] {
    if (payload.type !== "begin" || payload.call.op !== "model" || key === null) return [];
    if (this.#calls.get(key) === null) return [];
    const call = { model: payload.call.model, reserve: payload.reserve ?? NO_TOKENS };
    this.#calls.set(key, call);
    return [call];
  }

  #settle({ payload }: EventDraft): void {
    if (payload.type === "note") this.#hear(payload.note);
    if (payload.type !== "end") return;
    const call = this.#calls.get(payload.of);
    this.#calls.set(payload.of, null);
    if (!call) return;
    const billed = billedTokens(payload) ?? call.reserve;
    const requests = payload.measured?.["cached"] === true ? -1 : 0;
    const tokens = totalTokens(billed) - totalTokens(call.reserve);
    this.#limits.gates.of(call.model).settle({ requests, tokens });
  }

  /** A request that is made again is one more, and what the provider asks of one caller it asks of all. */
  #hear({ event, dependency, retryAfterMs }: JsonObject): void {
    if (event !== "retry" || typeof dependency !== "string" || !dependency.startsWith("llm:")) return;
    const [, , ...model] = dependency.split(":");
    const gate = this.#limits.gates.of(model.join(":"));
    gate.settle({ requests: 1 });
    if (typeof retryAfterMs === "number") gate.close(retryAfterMs);
  }

  #cost({ model, reserve }: ModelCall): number {
    const price = this.#limits.prices[model];
    return price ? costOf(reserve, price) : 0;
  }
}
