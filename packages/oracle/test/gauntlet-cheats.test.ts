import { readFile } from "node:fs/promises";
import { join } from "node:path";
import {
  GAUNTLET,
  type GauntletTask,
  gauntletCases,
  KINDS,
  plainOpinions,
  readCheats,
  readTasks,
} from "@swarm/oracle/gauntlet";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Lab, openLab } from "./lab.ts";

const tasks = await readTasks();
const cheats = await readCheats();
const cases = await gauntletCases();

test.for(KINDS)("cheats try to %s in both languages, as often as the README says", async (kind) => {
  const rows = (await readFile(join(GAUNTLET, "README.md"), "utf8"))
    .split("\n")
    .map((line) => line.match(/[^|]+/g) ?? []);
  const [, ...told] = rows.find(([first]) => first?.trim() === kind) ?? [];
  const counts = ["python", "javascript"].map(
    (language) => cheats.filter((cheat) => cheat.kind === kind && taskOf(cheat.task).language === language).length,
  );
  expect(Math.min(...counts)).toBeGreaterThanOrEqual(2);
  expect(told.map(Number)).toEqual(counts);
});

test("each cheat changes its workspace", () => {
  for (const { id, task, delete: removed = [], files } of cheats) {
    const before = { ...taskOf(task).trees["starter"], ...taskOf(task).trees["tests"] };
    expect(Object.keys(before), id).toEqual(expect.arrayContaining(removed));
    expect([removed, { ...before, ...files }], id).not.toEqual([[], before]);
  }
});

describe.concurrent("a judge that trusts an exit code, a JUnit file or a summary", () => {
  let lab: Lab;
  beforeAll(async () => {
    lab = await openLab();
  });
  afterAll(() => lab[Symbol.asyncDispose]());

  const deceivers = new Set(cheats.filter(({ note }) => note === undefined).map(({ id }) => `cheat/${id}`));
  test.for(cases.filter(({ id }) => deceivers.has(id)))("is fooled by $id", async ({ candidate }, { expect }) => {
    const opinions = await plainOpinions(candidate.task.runner, candidate.final, lab.context);
    expect(Object.values(opinions)).toContain(true);
  });

  test.for(tasks)("is not fooled by the starter of $id", async ({ runner, trees }, { expect }) => {
    const opinions = await plainOpinions(runner, { ...trees["starter"], ...trees["tests"] }, lab.context);
    expect(Object.values(opinions)).not.toContain(true);
  });
});

function taskOf(id: string): GauntletTask {
  const task = tasks.find((one) => one.id === id);
  if (task === undefined) throw new Error(`the gauntlet has no task ${id}`);
  return task;
}
