import type { Stats } from "node:fs";
import { expect, it } from "vitest";
import { LiveFile, LiveFolder } from "./live-entries.ts";

const stat = { ino: 1, size: 4, mode: 0o100644, mtimeMs: 1_000.5, ctimeMs: 50_000.25 } as Stats;

it.each([
  ["old enough", stat, 50_030, true],
  ["changed in the same tick of the clock", stat, 50_010, false],
  ["changed after it was looked at, by a clock that was set", stat, 49_000, false],
  ["old enough for a clock of whole seconds", { ...stat, ctimeMs: 50_000 } as Stats, 53_000, true],
  ["changed in the same of its seconds", { ...stat, ctimeMs: 50_000 } as Stats, 50_900, false],
])("a state vouches for what was found or not: %s", (_, state, now, sure) => {
  const [file, folder] = [new LiveFile(), new LiveFolder()];
  file.remember("id", state, now);
  folder.remember(state, now);
  expect([file.isAs(state), folder.isAs(state)]).toEqual([sure, sure]);
});

it.each([{ ino: 2 }, { size: 5 }, { mode: 0o100755 }, { mtimeMs: 1_000 }, { ctimeMs: 50_000.5 }])(
  "what was found may be another when %j",
  (change) => {
    const [file, folder] = [new LiveFile(), new LiveFolder()];
    file.remember("id", stat, 60_000);
    folder.remember(stat, 60_000);
    const now = { ...stat, ...change } as Stats;
    expect([file.isAs(now), folder.isAs(now)]).toEqual([false, false]);
  },
);
