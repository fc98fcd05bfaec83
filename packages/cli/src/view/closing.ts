import type { Outcome, Trajectory } from "@swarm/core";
import { type Line, line, oneLine, type Tone } from "./line.ts";
import { summaryOf } from "./summary.ts";
import { table } from "./table.ts";
import { count, dollars, seconds, tokensInWords } from "./words.ts";

const OUTCOMES: Record<Outcome, string> = {
  verified: "VERIFIED: every check was made and held",
  passed: "PASSED: the tests pass; some check could not be made",
  failed: "NOT PASSED (failed): the tests do not pass",
  tampered: "NOT PASSED (tampered): the tests were interfered with",
  insensitive: "NOT PASSED (insensitive): the tests pass without the work too, so they say nothing",
  flaky: "NOT PASSED (flaky): repeated test runs disagree",
  "infra-error": "NOT PASSED (infra-error): the machinery failed, which says nothing about the work",
  budget: "NOT PASSED (budget): a limit was reached before the work was done",
  timeout: "NOT PASSED (timeout): the time was up before the work was done",
  aborted: "NOT PASSED (aborted): the run was ended before the work was done",
};

/** What a run took. */
export function spent(trajectory: Trajectory): Line[] {
  const { elapsedMs, usage, repairs, signals } = summaryOf(trajectory);
  const rows = table([
    ["time", seconds(elapsedMs)],
    [
      "calls",
      `${count(usage.modelCalls, "model call")}, ${count(usage.toolCalls, "tool call or test run", "tool calls and test runs")}`,
    ],
    ["repairs", String(repairs)],
    ["tests", `${signals.testsPassed} passed, ${signals.testsFailed} failed`],
    ["tokens", tokensInWords(usage)],
    ["cost", dollars(usage.usd)],
  ]);
  return [line(""), ...rows.map((row) => line(row))];
}

/** How the run ended: what it took, each problem that is left, and the verdict. */
export function closing(trajectory: Trajectory): Line[] {
  const { outcome, passed, oracle, reasons, tampering, evidence } = summaryOf(trajectory);
  const judged = Object.keys(evidence).length > 0;
  const by = judged ? `; judged by ${oracle === "given" ? "the task's tests" : "tests written during the run"}` : "";
  const unresolved = [
    ...reasons.map((reason) => item(reason)),
    ...tampering.map((found) => item(`interference: ${JSON.stringify(found)}`, "yellow")),
  ];
  const cause = lastFailure(trajectory);
  return [
    ...spent(trajectory),
    line(""),
    line(OUTCOMES[outcome] + by, passed ? "green" : "red"),
    ...(outcome === "infra-error" ? [...cause, ...unresolved] : [...unresolved, ...cause]),
  ];
}

function item(text: string, tone?: Tone): Line {
  return line(`  - ${oneLine(text, 300)}`, tone);
}

/**
 * Of a run that did not pass, unless its verdict tells of it: an oracle only sees tests that fail, and the cause may be a model
 * that could not be called.
 */
function lastFailure({ events, verdict }: Trajectory): Line[] {
  if (verdict.passed) return [];
  const fault = events.findLast(({ payload, key }) => payload.type === "fault" && key !== null)?.payload;
  if (fault?.type !== "fault") return [];
  const { code, message } = fault.fault;
  if (verdict.reasons.some((reason) => reason.includes(message))) return [];
  return [item(`last failed step: ${code}: ${message}`)];
}
