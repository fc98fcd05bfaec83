import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { GAUNTLET, type GauntletTask, KINDS, readCheats, readTasks } from "@swarm/oracle/gauntlet";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Ground, openGround } from "./gauntlet-runs.ts";
import { naiveOpinions } from "./naive-judges.ts";

const tasks = await readTasks();
const cheats = await readCheats();

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
  let ground: Ground;
  beforeAll(async () => {
    ground = await openGround();
  });
  afterAll(() => ground[Symbol.asyncDispose]());

  const deceivers = cheats.filter(({ note }) => note === undefined);
  test.for(deceivers.map(({ id }) => id))("is fooled by %s", async (id, { expect }) => {
    const cheat = cheats.find((one) => one.id === id)!;
    const { runner, trees } = taskOf(cheat.task);
    const removed = Object.fromEntries((cheat.delete ?? []).map((path) => [path, null]));
    const workspace = await ground.lay(id, [trees["starter"]!, trees["tests"]!, removed, cheat.files]);
    const opinions = await naiveOpinions(runner, workspace);
    expect(Object.values(opinions)).toContain(true);
  });

  test.for(tasks.map(({ id }) => id))("is not fooled by the starter of %s", async (id, { expect }) => {
    const { runner, trees } = taskOf(id);
    const workspace = await ground.lay(id, [trees["starter"]!, trees["tests"]!]);
    expect(Object.values(await naiveOpinions(runner, workspace))).not.toContain(true);
  });
});

function taskOf(id: string): GauntletTask {
  const task = tasks.find((one) => one.id === id);
  if (task === undefined) throw new Error(`the gauntlet has no task ${id}`);
  return task;
}
