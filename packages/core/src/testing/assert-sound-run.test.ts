import { expect, test } from "vitest";
import type { RunEvent } from "../contracts/event.ts";
import type { Trajectory } from "../contracts/trajectory.ts";
import { runTask } from "../engine/start-run.ts";
import { trajectoryOf } from "../engine/trajectory.ts";
import { memoryLogStore } from "../log/memory-log-store.ts";
import { assertSoundRun } from "./assert-sound-run.ts";
import { conformanceTask, conformanceTeam } from "./team.ts";

const team = conformanceTeam();
const whole = await runTask(conformanceTask, { team, store: memoryLogStore() });
const withEvents = (events: RunEvent[]): Trajectory => {
  const { snapshots } = team.defaults.sandbox();
  return trajectoryOf({ header: whole.header, events, snapshots, location: null });
};
const numbered = (events: readonly RunEvent[]) => events.map((event, tsIndex) => ({ ...event, tsIndex }));
const isEnd = ({ payload }: RunEvent) => payload.type === "end" && payload.tokens !== undefined;
const end = whole.events.findIndex(isEnd);

test("a run as it was recorded is sound, and so is the beginning of one", () => {
  assertSoundRun(whole);
  for (let length = 0; length < whole.events.length; length++)
    assertSoundRun(withEvents(whole.events.slice(0, length)));
});

test.each<[string, Trajectory]>([
  ["a gap", withEvents(whole.events.toSpliced(3, 1))],
  ["an event that is there twice", withEvents(numbered(whole.events.toSpliced(end, 0, whole.events[end]!)))],
  ["an end without its begin", withEvents(numbered(whole.events.toSpliced(end - 1, 1)))],
  ["a usage that is not the calls'", { ...whole, usage: { ...whole.usage, output: whole.usage.output + 1 } }],
  ["a sum of dollars that is not the calls'", { ...whole, usage: { ...whole.usage, usd: 1 } }],
  ["a key", { ...whole, toJsonl: () => whole.toJsonl().replace("start", `sk-${"a".repeat(30)}`) }],
])("a log with %s is not", (_, trajectory) => {
  expect(() => assertSoundRun(trajectory)).toThrow();
});
