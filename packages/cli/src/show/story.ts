import { type RunEvent, streamLogFile, type Trajectory } from "@swarm/core";
import { closing, spent } from "../view/closing.ts";
import { clean, type Line, line } from "../view/line.ts";
import { opening } from "../view/opening.ts";
import { type Progress, progress } from "../view/progress.ts";

/** The whole of a run for a person: what happened, and its {@link ending}. */
export function story(trajectory: Trajectory, process: number | null): Line[] {
  const { header, events } = trajectory;
  const view = progress({ facts: header, whole: true });
  return [...opening(header), ...events.flatMap((event) => numbered(event, view)), ...ending(trajectory, process)];
}

/** {@link story} but for its ending, while it happens; resolves when nobody writes to the log any more. */
export async function followStory(log: string, print: (lines: readonly Line[]) => void): Promise<void> {
  const { header, events } = await streamLogFile(log, { follow: true });
  const view = progress({ facts: header, whole: true });
  print(opening(header));
  for await (const event of events) print(numbered(event, view));
}

const NUMBER_WIDTH = 5;

/** What is told of an event, beside the number of the event: `swarm fork --at` takes it. */
function numbered(event: RunEvent, view: Progress): Line[] {
  const lines = view.lines(event);
  const first = lines.findIndex(({ text }) => text !== "");
  return lines.map(({ text, ...rest }, index) => {
    const number = index === first ? String(event.tsIndex) : "";
    return { ...rest, text: `${number.padStart(NUMBER_WIDTH)}  ${text}`.trimEnd() };
  });
}

/** What a run came to, and what the verdict rests on. `process` is one that is at it now. */
export function ending(trajectory: Trajectory, process: number | null): Line[] {
  const decided = trajectory.events.some(({ payload }) => payload.type === "verdict");
  if (!decided && process !== null) {
    return [...spent(trajectory), line(""), line(`UNDER WAY: process ${process} is at it`, "yellow")];
  }
  const way = `swarm resume ${trajectory.runId} goes on with it`;
  const open = decided ? [] : [line(`the log has no verdict: the run was cut off; ${way}`, "yellow")];
  return [...closing(trajectory), ...open, ...evidence(trajectory.verdict.evidence)];
}

function evidence(facts: Trajectory["verdict"]["evidence"]): Line[] {
  if (Object.keys(facts).length === 0) return [];
  const text = clean(JSON.stringify(facts, null, 2)).split("\n");
  return [line(""), line("evidence", "bold"), ...text.map((one) => line(`  ${one}`, "dim"))];
}
