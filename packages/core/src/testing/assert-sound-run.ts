import { strict as assert } from "node:assert";
import type { RunEvent } from "../contracts/event.ts";
import { NO_TOKENS, type Tokens } from "../contracts/model.ts";
import type { Trajectory } from "../contracts/trajectory.ts";
import { costReport } from "../log/cost-report.ts";
import { parseLog } from "../log/parse-log.ts";
import { createRedactor } from "../redact.ts";

/**
 * Fails where a run's log breaks what holds for every run, however it ended: whole lines, places without gaps, each key
 * once, an end only for what began, one deciding verdict, costs that add up, and neither one of `secrets` nor anything that is
 * shaped like a key.
 */
export function assertSoundRun({ header, events, usage, toJsonl }: Trajectory, secrets: readonly string[] = []): void {
  const text = toJsonl();
  assert.equal(
    createRedactor(secrets)(text),
    text,
    "something in the log is shaped like a secret, or is one of the run's",
  );
  assert.deepEqual(parseLog(Buffer.from(text)).events, events, "the log read again differs from the run's events");
  assert.deepEqual(
    events.map(({ tsIndex }) => tsIndex),
    events.map((_, index) => index),
    "places are not 0, 1, 2, …",
  );
  assertKeys(events);
  const report = costReport({ header, events });
  const { usd, modelCalls, toolCalls: _, ...tokens } = usage;
  assert.equal(report.total.calls, modelCalls);
  for (const totals of [report.total, sum(Object.values(report.byRole)), sum(report.calls)]) {
    assert.deepEqual(totals.tokens, tokens, "the calls' tokens do not add up to the run's");
    if (usd === null) assert.equal(totals.usd, null);
    else assert.ok(Math.abs((totals.usd ?? Number.NaN) - usd) < 1e-6, `the calls cost ${totals.usd}, the run ${usd}`);
  }
}

function assertKeys(events: readonly RunEvent[]): void {
  const begun = new Set<string>();
  const keys = new Set<string>();
  for (const { stepId, key, payload } of events) {
    if (key === null) continue;
    assert.ok(!keys.has(`${stepId} ${key}`), `${stepId} ${key} is there twice`);
    keys.add(`${stepId} ${key}`);
    if (payload.type === "begin") begun.add(`${stepId} ${key}`);
    if (payload.type === "end") assert.ok(begun.delete(`${stepId} ${payload.of}`), `${key} ends what did not begin`);
  }
  const verdicts = events.filter(({ key, payload }) => key !== null && payload.type === "verdict");
  assert.ok(verdicts.length <= 1, "there is more than one deciding verdict");
}

function sum(parts: readonly { tokens: Tokens; usd: number | null }[]): { tokens: Tokens; usd: number | null } {
  const tokens = { ...NO_TOKENS };
  for (const part of parts)
    for (const name of Object.keys(tokens) as (keyof Tokens)[]) tokens[name] += part.tokens[name];
  const unpriced = parts.some(({ usd }) => usd === null);
  return { tokens, usd: unpriced ? null : parts.reduce((total, { usd }) => total + (usd ?? 0), 0) };
}
