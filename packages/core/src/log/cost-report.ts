import type { LogHeader, RunEvent } from "../contracts/event.ts";
import type { Json, JsonObject } from "../contracts/json.ts";
import { type ModelId, NO_TOKENS, type Price, type Tokens } from "../contracts/model.ts";
import type { Outcome, Verdict } from "../contracts/verdict.ts";
import { billedTokens, costOf } from "./ledger.ts";
import { isDecided, ownEvents, sharedOf } from "./past.ts";
import { isOfLoser, winnersOf } from "./races.ts";
import { reportIn } from "./report-in.ts";

/** A call to a model: what it used, and what that cost. `usd` is null where the model has no price. */
export type CallCost = {
  stepId: string;
  /** Null for the making of a call that was cut off and made again later. */
  key: string | null;
  role: string;
  model: ModelId;
  tokens: Tokens;
  usd: number | null;
  /** Milliseconds, and requests that were made; null for a call that never ended. */
  ms: number | null;
  attempts: number | null;
  cacheHit: boolean;
  /** `reserved`: what it used is not known, so that it counts with all that it could have used. */
  basis: "billed" | "reserved";
  fault: string | null;
};
/** What came of the money: `unresolved` is work that was done and is not right, or not all of it. */
export type CostStatus = "success" | "unresolved" | "failed" | "aborted";
export type CostTotal = { calls: number; tokens: Tokens; usd: number | null };

/** What a run cost: a view of its log, which can be made again from it at any time. */
export type CostReport = {
  runId: string;
  started: string | null;
  finished: string | null;
  requirement: string;
  outcome: Outcome | null;
  /** By the `status` of the workflow's report where it has one, otherwise by the verdict; null while there is none. */
  status: CostStatus | null;
  error: string | null;
  models: ModelId[];
  prices: Record<ModelId, Price | null>;
  calls: CallCost[];
  byRole: Record<string, CostTotal>;
  total: CostTotal;
  /** Part of `total`: what branches spent that lost their race. */
  lost: CostTotal;
  /** No part of `total`: what the run that this one was forked from had spent on the past that they share. */
  inherited: CostTotal;
  unpriced: ModelId[];
};

/** Totals are sums over `calls`, so they agree with them and with the run's usage. */
export function costReport({ header, events }: { header: LogHeader; events: readonly RunEvent[] }): CostReport {
  const own = ownEvents({ header, events });
  const winners = winnersOf(events);
  const calls = callsOf(header, own);
  const models = [...new Set(calls.map(({ model }) => model))].sort();
  const roles = Object.groupBy(calls, ({ role }) => role);
  const verdict = events.findLast(({ payload }) => payload.type === "verdict")?.payload;
  const decided = verdict?.type === "verdict" ? verdict.verdict : null;
  const isEnd = ({ key, payload }: RunEvent) => key === null && payload.type === "fault"; // what ended it before its work did
  const failure = isDecided(events) ? undefined : events.findLast(isEnd)?.payload;
  return {
    runId: header.runId,
    started: textOf(header.measured["startedAt"]),
    finished: timeOf(events.at(-1)?.payload.measured),
    requirement: header.task.prompt,
    outcome: decided?.outcome ?? null,
    status: decided && statusOf(decided, reportIn(events)),
    error: failure?.type === "fault" ? failure.fault.message : null,
    models,
    prices: Object.fromEntries(models.map((model) => [model, header.prices[model] ?? null])),
    calls,
    byRole: Object.fromEntries(Object.entries(roles).map(([role, of = []]) => [role, totalOf(of)])),
    total: totalOf(calls),
    lost: totalOf(calls.filter((call) => isOfLoser(call, winners))),
    inherited: totalOf(callsOf(header, events.slice(0, sharedOf(header)))),
    unpriced: models.filter((model) => !header.prices[model]),
  };
}

const OF_WORKFLOW: Record<string, CostStatus> = {
  completed: "success",
  partial: "unresolved",
  failed: "failed",
  aborted: "aborted",
};
const OF_OUTCOME: Partial<Record<Outcome, CostStatus>> = {
  "infra-error": "failed",
  budget: "aborted",
  timeout: "aborted",
  aborted: "aborted",
};

/** A workflow can lower what the verdict says, and never raise it. */
function statusOf({ passed, outcome }: Verdict, report: Json): CostStatus {
  const told = report !== null && typeof report === "object" && !Array.isArray(report) ? report["status"] : null;
  const status = (typeof told === "string" ? OF_WORKFLOW[told] : undefined) ?? "success";
  return passed || status !== "success" ? status : (OF_OUTCOME[outcome] ?? "unresolved");
}

function callsOf(header: LogHeader, events: readonly RunEvent[]): CallCost[] {
  const ends = new Map(
    events.flatMap(({ stepId, key, payload }) =>
      payload.type === "end" && key !== null ? [[`${stepId} ${payload.of}`, payload] as const] : [],
    ),
  );
  return events.flatMap(({ stepId, key, agent, payload }): CallCost[] => {
    if (payload.type !== "begin" || payload.call.op !== "model") return [];
    const { model } = payload.call;
    const end = key === null ? undefined : ends.get(`${stepId} ${key}`);
    const billed = end ? billedTokens(end) : null;
    const tokens = billed ?? payload.reserve ?? NO_TOKENS;
    const price = header.prices[model];
    return [
      {
        stepId,
        key,
        role: agent ?? "",
        model,
        tokens,
        usd: price ? costOf(tokens, price) : null,
        ms: numberOf(end?.measured?.["ms"]),
        attempts: numberOf(end?.measured?.["attempts"]),
        cacheHit: end?.measured?.["cached"] === true,
        basis: billed ? "billed" : "reserved",
        fault: end?.fault?.code ?? null,
      },
    ];
  });
}

function totalOf(calls: readonly CallCost[]): CostTotal {
  const tokens = { ...NO_TOKENS };
  let usd: number | null = 0;
  for (const call of calls) {
    for (const name of Object.keys(tokens) as (keyof Tokens)[]) tokens[name] += call.tokens[name];
    usd = usd === null || call.usd === null ? null : usd + call.usd;
  }
  return { calls: calls.length, tokens, usd: usd === null ? null : Math.round(usd * 1e9) / 1e9 };
}

function timeOf(measured: JsonObject | undefined): string | null {
  const at = numberOf(measured?.["at"]);
  return at === null ? null : new Date(at).toISOString();
}
function numberOf(value: unknown): number | null {
  return typeof value === "number" ? value : null;
}
function textOf(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}
