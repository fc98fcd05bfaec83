import {
  type Call,
  costOf,
  countTests,
  type JsonObject,
  type Payload,
  RecollectionSchema,
  type RunEvent,
  TestReportSchema,
} from "@swarm/core";
import type { LogLevel } from "../settings/settings.ts";
import type { RunFacts } from "../view/opening.ts";

/** What a structured log tells of, each with the level that it has when all is well. */
export const LOG_EVENTS = {
  run_start: "info",
  unpriced_model: "warn",
  llm_call: "info",
  tool_call: "info",
  test_run: "info",
  memory_recall: "info",
  retry_attempt: "warn",
  retry_exhausted: "error",
  breaker_transition: "warn",
  cache_hit: "debug",
  cache_miss: "debug",
  cache_expired: "debug",
  degraded_fallback_cached: "warn",
  fallback: "warn",
  tests_not_warm: "warn",
  forked: "info",
  workspace_taken_over: "warn",
  workspace_written: "info",
  agent_end: "info",
  run_aborted: "warn",
  run_end: "info",
  cost_report_failed: "error",
  memory_failed: "warn",
} as const satisfies Record<string, LogLevel>;
export type LogEvent = keyof typeof LOG_EVENTS;

/** One line of a structured log: what every one has, then what is particular to its event. `role` is null where none acted. */
export type LogRecord = RecordHead & JsonObject;
type RecordHead = { time: string; level: LogLevel; runId: string; role: string | null; event: LogEvent };
type Told = { event: LogEvent; level?: LogLevel; role?: string | null; fields?: JsonObject };
type End = Extract<Payload, { type: "end" }>;

export type LogContext = {
  facts: RunFacts;
  /** The call that an end event ends; null for any other event. */
  call: Call | null;
};

/** What an event of a run's log says to a structured log: nothing, one record, or several. */
export function logRecords(event: RunEvent, { facts, call }: LogContext): LogRecord[] {
  const told = [...(event.tsIndex === 0 ? runStart(facts) : []), ...tell(event, facts, call)];
  const at = event.payload.measured?.["at"];
  const time = new Date(typeof at === "number" ? at : 0).toISOString();
  return told.map(({ event: name, level = LOG_EVENTS[name], role = event.agent, fields = {} }) => {
    return { time, level, runId: facts.runId, role, event: name, ...fields };
  });
}

/** What no event of the run's log tells of, since it comes after its end. */
export function afterTheEnd(
  event: "cost_report_failed" | "memory_failed",
  runId: string,
  time: string,
  reason: string,
): LogRecord {
  return { time, level: LOG_EVENTS[event], runId, role: null, event, reason };
}

function runStart({ task, team, prices, limits, tier }: RunFacts): Told[] {
  const models = Object.keys(prices);
  const unpriced = models.filter((model) => prices[model] === null);
  return [
    { event: "run_start", role: null, fields: { task: task.id, team: team.name, models, limits, isolation: tier } },
    ...unpriced.map((model): Told => ({ event: "unpriced_model", role: null, fields: { model } })),
  ];
}

function tell(event: RunEvent, facts: RunFacts, call: Call | null): Told[] {
  const { payload, stepId } = event;
  switch (payload.type) {
    case "end":
      return call ? callEnd(call, payload, stepId, facts) : [];
    case "result": {
      const { stepId, ok, attempts } = payload.result;
      const fault = payload.result.ok ? {} : { fault: payload.result.fault.code };
      return [{ event: "agent_end", level: levelOf(ok), fields: { step: stepId, ok, attempts, ...fault } }];
    }
    case "recovered":
      return payload.how === "fallback" ? [{ event: "fallback", fields: { step: stepId, to: payload.detail } }] : [];
    case "note":
      return note(payload.note, stepId);
    case "verdict":
      return runEnd(event.key === null, payload);
    default:
      return [];
  }
}

function callEnd(call: Call, end: End, step: string, { prices }: RunFacts): Told[] {
  const { value, fault, tokens, measured = {} } = end;
  const failed = fault === null ? {} : { fault: fault.code, error: fault.message };
  const common = { step, ms: measured["ms"] ?? null, ...failed };
  switch (call.op) {
    case "model": {
      const price = prices[call.model];
      const spent = {
        attempts: measured["attempts"] ?? null,
        cached: measured["cached"] === true,
        tokens: tokens ?? null,
        usd: tokens && price ? costOf(tokens, price) : null,
      };
      const told: Told = {
        event: "llm_call",
        level: levelOf(!fault),
        fields: { model: call.model, ...common, ...spent },
      };
      // a fault that another try can mend is in the log only where there was none left
      const exhausted: Told = { event: "retry_exhausted", fields: { model: call.model, ...common } };
      return fault?.retryable && fault.code !== "STEP_TIMED_OUT" ? [exhausted, told] : [told];
    }
    case "tool": {
      const ok = (value as { ok?: unknown } | null)?.ok === true;
      return [{ event: "tool_call", level: levelOf(ok), fields: { tool: call.tool, ok, ...common } }];
    }
    case "test": {
      const { passed, failed } = countTests(TestReportSchema.safeParse(value).data ?? { tests: [] });
      return [{ event: "test_run", level: levelOf(!fault), fields: { passed, failed, ...common } }];
    }
    case "other": {
      if (call.name !== "memory") return [];
      const runs = RecollectionSchema.array().safeParse(value).data ?? [];
      const fields = { runs: runs.map(({ id }) => id), ...common };
      return [{ event: "memory_recall", level: levelOf(!fault), fields }];
    }
  }
}

function note({ event, role, ...fields }: JsonObject, step: string): Told[] {
  switch (event) {
    case "retry":
      return [{ event: "retry_attempt", role: roleIn(fields["dependency"]), fields: { step, ...fields } }];
    case "breaker":
      return [{ event: "breaker_transition", role: roleIn(fields["dependency"]), fields: { step, ...fields } }];
    case "cache_hit":
    case "cache_miss":
    case "cache_expired":
    case "degraded_fallback_cached":
      return [{ event, role: typeof role === "string" ? role : null, fields: { step, ...fields } }];
    case "tests_not_warm":
      return [{ event, fields: { step, ...fields } }];
    case "forked":
    case "workspace_taken_over":
      return [{ event, fields }];
    case "workspace":
      return [{ event: "workspace_written", level: fields["written"] ? "info" : "error", fields }];
    default:
      return [];
  }
}

function runEnd(isEarly: boolean, { verdict, measured }: Extract<Payload, { type: "verdict" }>): Told[] {
  const { outcome, passed, signals, reasons } = verdict;
  const end = { outcome, passed, ...signals, reasons, elapsedMs: measured?.["elapsedMs"] ?? null };
  return [
    ...(isEarly ? [{ event: "run_aborted" as const, fields: { outcome, reason: reasons[0] ?? null } }] : []),
    { event: "run_end", level: levelOf(passed), fields: end },
  ];
}

function levelOf(ok: boolean): LogLevel {
  return ok ? "info" : "warn";
}

/** The breaker of a model is named `llm:<role>:<provider>:<model>`. */
function roleIn(dependency: unknown): string | null {
  return /^llm:([^:]+):/.exec(String(dependency))?.[1] ?? null;
}
