import type { Trajectory } from "@swarm/core";
import { closing, spent } from "../view/closing.ts";
import { clean, type Line, line } from "../view/line.ts";
import { opening } from "../view/opening.ts";
import { progress } from "../view/progress.ts";

/** The whole of a run for a person: what happened, and what the verdict rests on. `process` is one that is at it now. */
export function story(trajectory: Trajectory, process: number | null): Line[] {
  const { header, events, verdict } = trajectory;
  const view = progress({ facts: header, whole: true });
  const decided = events.some(({ payload }) => payload.type === "verdict");
  if (!decided && process !== null) {
    const now = [line(""), line(`UNDER WAY: process ${process} is at it`, "yellow")];
    return [...opening(header), ...events.flatMap((event) => view.lines(event)), ...spent(trajectory), ...now];
  }
  const open = decided ? [] : [line("the log has no verdict: the run was cut off", "yellow")];
  return [
    ...opening(header),
    ...events.flatMap((event) => view.lines(event)),
    ...closing(trajectory),
    ...open,
    ...evidence(verdict.evidence),
  ];
}

function evidence(facts: Trajectory["verdict"]["evidence"]): Line[] {
  if (Object.keys(facts).length === 0) return [];
  const text = clean(JSON.stringify(facts, null, 2)).split("\n");
  return [line(""), line("evidence", "bold"), ...text.map((one) => line(`  ${one}`, "dim"))];
}
