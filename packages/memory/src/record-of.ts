import { headAndTail, type RunEvent, type Trajectory } from "@swarm/core";
import { type Change, changesInPatch } from "./changes-in-patch.ts";
import { functionsIn } from "./functions-in.ts";
import type { RunRecord } from "./run-record.ts";

const MOST_TASK = 2_000;
const MOST_SUMMARY = 1_500;
const MOST_TITLE = 200;
const MOST_STEPS = 20;
const MOST_FILES = 50;
const MOST_FUNCTIONS = 30;
/** More is made, not written. */
const MOST_ADDED = 200_000;

/**
 * What a finished run did, from its trajectory alone. Plan and summary are known by convention: the `title`s of the `steps` of
 * the team's report; its `summary`, else those in the outputs of the run's steps. Where a run did not pass, the message of
 * the report's `problem` is told too. Hidden tests are no part of it.
 */
export async function recordOf(trajectory: Trajectory): Promise<RunRecord> {
  const { runId, header, verdict } = trajectory;
  const patch = new TextDecoder().decode(await trajectory.patch());
  const changes = changesInPatch(patch).slice(0, MOST_FILES);
  return {
    runId,
    task: headAndTail(header.task.prompt, MOST_TASK),
    outcome: verdict.outcome,
    plan: planIn(trajectory.report),
    files: changes.map(({ path }) => path),
    functions: functionsOf(changes),
    summary: headAndTail(summaryOf(trajectory), MOST_SUMMARY),
  };
}

function functionsOf(changes: readonly Change[]): RunRecord["functions"] {
  const named = changes.flatMap(({ path, added }): [string, string[]][] => {
    const names = added.length > MOST_ADDED ? [] : functionsIn(path, added).slice(0, MOST_FUNCTIONS);
    return names.length === 0 ? [] : [[path, names]];
  });
  return Object.fromEntries(named);
}

function planIn(report: unknown): string[] {
  const { steps } = object(report);
  if (!Array.isArray(steps)) return [];
  const titles = steps.map((step) => object(step)["title"]).filter((title) => typeof title === "string");
  return titles.slice(0, MOST_STEPS).map((title) => headAndTail(title, MOST_TITLE));
}

function summaryOf({ report, events, verdict }: Trajectory): string {
  const own = object(report)["summary"];
  const said = typeof own === "string" ? own : events.flatMap(summaryIn).join("\n");
  const problem = object(object(report)["problem"])["message"];
  return [said, ...(verdict.passed || typeof problem !== "string" ? [] : [`Problem: ${problem}`])]
    .filter((part) => part !== "")
    .join("\n");
}

/** What a step that succeeded said of its work. */
function summaryIn({ payload }: RunEvent): string[] {
  if (payload.type !== "result" || !payload.result.ok) return [];
  const { summary } = object(payload.result.output);
  return typeof summary === "string" && summary !== "" ? [summary] : [];
}

function object(value: unknown): Record<string, unknown> {
  return value !== null && typeof value === "object" ? (value as Record<string, unknown>) : {};
}
