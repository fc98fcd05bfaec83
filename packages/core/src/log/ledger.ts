import type { Budget } from "../contracts/budget.ts";
import type { EventDraft, RunEvent } from "../contracts/event.ts";
import type { Fault } from "../contracts/fault.ts";
import { type ModelId, NO_TOKENS, type Price, type Tokens } from "../contracts/model.ts";
import type { Usage } from "../contracts/trajectory.ts";

type OpenCall = { model: ModelId | null; reserve: Tokens };

/**
 * What a run has spent: a fold over its log. A call is charged at its reserve when it begins and at its real cost when it
 * ends; one that never ended, or whose cost is not known, stays at its reserve.
 */
export class Ledger {
  readonly #prices: Record<ModelId, Price | null>;
  readonly #open = new Map<string, OpenCall>();
  readonly #tokens: Tokens = { ...NO_TOKENS };
  #modelCalls = 0;
  #toolCalls = 0;
  #usd = 0;
  #unpriced = false;

  constructor(prices: Record<ModelId, Price | null>) {
    this.#prices = prices;
  }

  apply(event: EventDraft | RunEvent): void {
    const { payload, stepId, key } = event;
    if (payload.type === "begin") {
      const model = payload.call.op === "model" ? payload.call.model : null;
      if (model !== null) this.#modelCalls++;
      else if (payload.call.op !== "other") this.#toolCalls++;
      const reserve = payload.reserve ?? NO_TOKENS;
      this.#charge(model, reserve, 1);
      if (key !== null) this.#open.set(`${stepId} ${key}`, { model, reserve });
    } else if (payload.type === "end" && key !== null) {
      const call = this.#open.get(`${stepId} ${payload.of}`);
      this.#open.delete(`${stepId} ${payload.of}`);
      const cost = billedTokens(payload);
      if (!call || !cost) return;
      this.#charge(call.model, call.reserve, -1);
      this.#charge(call.model, cost, 1);
    }
  }

  /** Why these calls cannot begin together, or null. The first that goes over a limit refuses all of them. */
  refusal(drafts: readonly EventDraft[], limits: Partial<Budget>): string | null {
    const spent = {
      modelCalls: this.#modelCalls,
      toolCalls: this.#toolCalls,
      tokens: totalTokens(this.#tokens),
      usd: this.#usd,
    };
    const over = (name: keyof Budget, sum: number) => {
      const limit = limits[name];
      return limit !== undefined && sum > limit ? `${name}: ${sum} of ${limit}` : null;
    };
    for (const { payload } of drafts) {
      if (payload.type !== "begin") continue;
      const { call, reserve = NO_TOKENS } = payload;
      const model = call.op === "model" ? call.model : null;
      if (call.op === "other") continue; // the oracle spends nothing, so no overrun keeps it from its verdict
      if (model === null) {
        spent.toolCalls++;
      } else {
        spent.modelCalls++;
        spent.tokens += totalTokens(reserve);
        spent.usd += this.#cost(model, reserve);
      }
      const names = model === null ? (["toolCalls"] as const) : (["modelCalls", "tokens", "usd"] as const);
      const refused = names.map((name) => over(name, spent[name])).find((reason) => reason !== null);
      if (refused) return refused;
    }
    return null;
  }

  /** US dollars charged, and how much of them for calls that have not ended. A model without a price costs nothing. */
  dollars(): { charged: number; open: number } {
    const open = [...this.#open.values()].reduce((sum, { model, reserve }) => sum + this.#cost(model, reserve), 0);
    return { charged: this.#usd, open };
  }

  usage(): Usage {
    const usd = this.#unpriced ? null : Math.max(0, Math.round(this.#usd * 1e9) / 1e9);
    return { ...this.#tokens, modelCalls: this.#modelCalls, toolCalls: this.#toolCalls, usd };
  }

  #charge(model: ModelId | null, tokens: Tokens, sign: 1 | -1): void {
    for (const name of Object.keys(this.#tokens) as (keyof Tokens)[]) this.#tokens[name] += sign * tokens[name];
    this.#usd += sign * this.#cost(model, tokens);
    if (model !== null && !this.#prices[model]) this.#unpriced = true;
  }

  #cost(model: ModelId | null, tokens: Tokens): number {
    const price = model === null ? null : this.#prices[model];
    return price ? costOf(tokens, price) : 0;
  }
}

const PERHAPS_BILLED = new Set(["INTERRUPTED", "TIMEOUT", "CONNECTION", "BAD_RESPONSE", "STEP_TIMED_OUT"]);

/** Whether a provider may have billed what it never delivered, by the code of the fault. */
export function isPerhapsBilled(code: string): boolean {
  return PERHAPS_BILLED.has(code);
}

/** What an ended call cost; null where that is not known, so that its reserve stands. */
export function billedTokens({ tokens, fault }: { tokens?: Tokens; fault: Fault | null }): Tokens | null {
  if (tokens) return tokens;
  return fault && !isPerhapsBilled(fault.code) ? NO_TOKENS : null;
}

/** Tokens of every kind that a provider bills. */
export function totalTokens(tokens: Tokens): number {
  return tokens.input + tokens.output + tokens.cacheRead + tokens.cacheWrite;
}

/** US dollars for tokens at a price. */
export function costOf(tokens: Tokens, price: Price): number {
  const cached =
    tokens.cacheRead * (price.cacheRead ?? price.input) + tokens.cacheWrite * (price.cacheWrite ?? price.input);
  return (tokens.input * price.input + tokens.output * price.output + cached) / 1e6;
}
