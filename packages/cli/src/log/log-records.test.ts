import { type Call, faultOf, type Payload, type RunEvent, unverified } from "@swarm/core";
import { expect, test } from "vitest";
import type { RunFacts } from "../view/opening.ts";
import { LOG_EVENTS, type LogEvent, type LogRecord, logRecords } from "./log-records.ts";

const facts: RunFacts = {
  runId: "r1",
  task: { id: "t", prompt: "p" },
  team: { name: "team", version: "1", config: {} },
  limits: { modelCalls: 9 },
  prices: { "a:priced": { input: 1, output: 10 }, "b:unpriced": null },
  tier: "process",
};
const AT = Date.UTC(2030, 0, 2);

function recordsOf(payload: Payload, { call = null, ...rest }: Partial<RunEvent> & { call?: Call | null } = {}) {
  const event: RunEvent = { tsIndex: 7, stepId: "run/s", key: "0.1", kind: "agent", agent: "coder", ...rest, payload };
  return logRecords({ ...event, payload: { ...payload, measured: { at: AT, ...payload.measured } } }, { facts, call });
}
const end = (rest: Partial<Extract<Payload, { type: "end" }>> = {}): Payload => {
  return { type: "end", of: "0.0", value: null, fault: null, snapshot: "s", ...rest };
};
const model = (id: string): Call => {
  return { op: "model", model: id, thread: "coder", keep: 0, add: [], settings: "b", sha256: "h" };
};
const memory: Call = { op: "other", name: "memory" };
const tokens = { input: 100, output: 20, reasoning: 0, cacheRead: 0, cacheWrite: 0 };
const note = (fields: Extract<Payload, { type: "note" }>["note"]) =>
  recordsOf({ type: "note", note: fields }, { key: null, agent: null });

const transient = faultOf({ code: "OVERLOADED", message: "busy", retryable: true });
const cases: [LogEvent, LogRecord[], object[]][] = [
  [
    "run_start",
    recordsOf({ type: "begin", call: { op: "other", name: "prepare" }, effect: "none" }, { tsIndex: 0 }),
    [
      { level: "info", role: null, task: "t", team: "team", models: ["a:priced", "b:unpriced"], isolation: "process" },
      { event: "unpriced_model", level: "warn", model: "b:unpriced" },
    ],
  ],
  [
    "llm_call",
    recordsOf(end({ tokens, measured: { ms: 5, attempts: 2 } }), { call: model("a:priced") }),
    [{ level: "info", model: "a:priced", step: "run/s", ms: 5, attempts: 2, cached: false, tokens, usd: 0.0003 }],
  ],
  [
    "llm_call",
    recordsOf(end({ tokens, measured: { cached: true } }), { call: model("b:unpriced") }),
    [{ level: "info", cached: true, usd: null, ms: null }],
  ],
  [
    "llm_call",
    recordsOf(end({ fault: faultOf({ code: "BAD_REQUEST", message: "no" }) }), { call: model("a:priced") }),
    [{ level: "warn", fault: "BAD_REQUEST", error: "no", tokens: null }],
  ],
  [
    "retry_exhausted",
    recordsOf(end({ fault: transient }), { call: model("a:priced") }),
    [{ level: "error", model: "a:priced", fault: "OVERLOADED" }, { event: "llm_call" }],
  ],
  [
    "llm_call",
    recordsOf(end({ fault: { ...transient, code: "STEP_TIMED_OUT" } }), { call: model("a:priced") }),
    [{ level: "warn", fault: "STEP_TIMED_OUT" }],
  ],
  [
    "tool_call",
    recordsOf(end({ value: { ok: false, output: "secret" } }), {
      call: { op: "tool", id: "1", tool: "run", args: {} },
    }),
    [{ level: "warn", tool: "run", ok: false }],
  ],
  [
    "memory_recall",
    recordsOf(end({ value: [{ id: "r0", text: "secret", distance: null }], measured: { ms: 2 } }), { call: memory }),
    [{ level: "info", runs: ["r0"], ms: 2 }],
  ],
  [
    "memory_recall",
    recordsOf(end({ fault: transient }), { call: memory }),
    [{ level: "warn", runs: [], fault: "OVERLOADED", error: "busy" }],
  ],
  [
    "test_run",
    recordsOf(
      end({
        value: {
          fault: null,
          tests: (["passed", "failed", "error", "skipped"] as const).map((status, nth) => {
            return { id: `t${nth}`, file: null, status, message: null, errorType: null, location: null };
          }),
        },
      }),
      { call: { op: "test", suites: [] }, agent: null },
    ),
    [{ level: "info", role: null, passed: 1, failed: 2 }],
  ],
  [
    "retry_attempt",
    note({ event: "retry", dependency: "llm:planner:a:priced", attempt: 1, error: "429" }),
    [{ level: "warn", role: "planner", attempt: 1, error: "429" }],
  ],
  [
    "breaker_transition",
    note({ event: "breaker", dependency: "tools", to: "open" }),
    [{ level: "warn", role: null, dependency: "tools", to: "open" }],
  ],
  ...(["cache_hit", "cache_miss", "cache_expired"] as const).map((event): [LogEvent, LogRecord[], object[]] => [
    event,
    note({ event, model: "a:priced", role: "planner" }),
    [{ level: "debug", role: "planner", model: "a:priced" }],
  ]),
  [
    "degraded_fallback_cached",
    note({ event: "degraded_fallback_cached", model: "a:priced", role: "planner" }),
    [{ level: "warn", role: "planner", model: "a:priced" }],
  ],
  [
    "fallback",
    recordsOf({ type: "recovered", how: "fallback", detail: "b:unpriced" }),
    [{ role: "coder", to: "b:unpriced" }],
  ],
  [
    "tests_not_warm",
    note({ event: "tests_not_warm", suite: "task", why: "they differ" }),
    [{ level: "warn", suite: "task", why: "they differ" }],
  ],
  [
    "forked",
    recordsOf({ type: "note", note: { event: "forked", run: "r0", at: 7 } }, { key: null, agent: null }),
    [{ level: "info", run: "r0", at: 7 }],
  ],
  [
    "workspace_taken_over",
    recordsOf({ type: "note", note: { event: "workspace_taken_over", pid: 7 } }, { key: null, agent: null }),
    [{ level: "warn", pid: 7 }],
  ],
  [
    "workspace_written",
    recordsOf({ type: "note", note: { event: "workspace", written: false, problem: "x" } }, { key: null, agent: null }),
    [{ level: "error", written: false, problem: "x" }],
  ],
  [
    "agent_end",
    recordsOf({ type: "result", result: { stepId: "run/s", attempts: 3, snapshot: "s", ok: false, fault: transient } }),
    [{ level: "warn", step: "run/s", ok: false, attempts: 3, fault: "OVERLOADED" }],
  ],
  [
    "run_aborted",
    recordsOf({ type: "verdict", verdict: unverified("aborted", "enough") }, { key: null, agent: null }),
    [
      { level: "warn", outcome: "aborted", reason: "enough" },
      { event: "run_end", level: "warn", passed: false },
    ],
  ],
  [
    "run_end",
    recordsOf(
      { type: "verdict", verdict: { ...unverified("failed", ""), outcome: "verified", passed: true } },
      { agent: null },
    ),
    [{ level: "info", outcome: "verified", testsPassed: 0 }],
  ],
];

test.each(cases)("%s", (name, records, expected) => {
  expect(records).toMatchObject(expected);
  expect(records[0]?.event).toBe(name);
  for (const record of records) expect(record).toMatchObject({ time: "2030-01-02T00:00:00.000Z", runId: "r1" });
});

test("every kind of record but those of what comes after the end comes from an event", () => {
  const told = new Set(cases.flatMap(([, records]) => records.map(({ event }) => event)));
  expect([...told, "cost_report_failed", "memory_failed"].sort()).toEqual(Object.keys(LOG_EVENTS).sort());
});

test.each<Payload>([
  { type: "attempt", snapshot: "s", hint: null },
  { type: "recovered", how: "hint", detail: "h" },
  { type: "note", note: { approved: true } },
  end(),
])("nothing is said of %j", (payload) => {
  expect(recordsOf(payload)).toEqual([]);
});

test("what a tool gave is not in the log", () => {
  expect(JSON.stringify(cases)).not.toContain("secret");
});
