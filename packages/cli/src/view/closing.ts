import type { Trajectory } from "@swarm/core";
import { type Line, line } from "./line.ts";
import { summaryOf } from "./summary.ts";
import { table } from "./table.ts";
import { headline, item, unresolvedIn } from "./verdict-lines.ts";
import { count, dollars, seconds, tokensInWords } from "./words.ts";

/** What a run took. */
export function spent(trajectory: Trajectory): Line[] {
  const { elapsedMs, usage, repairs, signals } = summaryOf(trajectory);
  const rows = table([
    ["time", seconds(elapsedMs)],
    [
      "calls",
      `${count(usage.modelCalls, "model call")}, ${count(usage.toolCalls, "tool call or test run", "tool calls and test runs")}`,
    ],
    ["repairs", `${count(repairs, "attempt")} made again after a failure`],
    ["tests", `${signals.testsPassed} passed, ${signals.testsFailed} failed`],
    ["tokens", tokensInWords(usage)],
    ["cost", dollars(usage.usd)],
  ]);
  return [line(""), ...rows.map((row) => line(row))];
}

/** How the run ended: what it took, each problem that is left, and the verdict. */
export function closing(trajectory: Trajectory): Line[] {
  const { verdict } = trajectory;
  const unresolved = unresolvedIn(verdict);
  const cause = lastFailure(trajectory);
  return [
    ...spent(trajectory),
    line(""),
    headline(verdict),
    ...(verdict.outcome === "infra-error" ? [...cause, ...unresolved] : [...unresolved, ...cause]),
  ];
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
