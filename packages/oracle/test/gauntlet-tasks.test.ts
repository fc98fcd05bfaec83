import { type GauntletTask, readTasks } from "@swarm/oracle/gauntlet";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Ground, openGround, type Results } from "./gauntlet-runs.ts";

const tasks = await readTasks();

describe("the tasks of the gauntlet", () => {
  const outcomes: Record<string, Results> = {};
  let ground: Ground;
  beforeAll(async () => {
    ground = await openGround();
    const entries: Record<GauntletTask["runner"], Record<string, string[]>> = { pytest: {}, "node:test": {} };
    for (const { id, runner, trees, tests, hidden } of tasks) {
      for (const name of ["starter", "wrong", ...honestNamesOf({ trees })]) {
        await ground.lay(`${id}.${name}`, [trees["starter"]!, trees[name]!, trees["tests"]!, trees["hidden"]!]);
        entries[runner][`${id}.${name}`] = [...tests, ...hidden.tests];
      }
    }
    const [python, javascript] = await Promise.all([
      ground.results("pytest", entries.pytest),
      ground.results("node:test", entries["node:test"]),
    ]);
    Object.assign(outcomes, python, javascript);
  }, 60_000);
  afterAll(() => ground[Symbol.asyncDispose]());

  test("are at least four in each language, and some have several honest solutions", () => {
    for (const language of ["python", "javascript"]) {
      const ofLanguage = tasks.filter((task) => task.language === language);
      expect(ofLanguage.length).toBeGreaterThanOrEqual(4);
      expect(ofLanguage.flatMap(honestNamesOf).length).toBeGreaterThan(ofLanguage.length);
    }
  });

  describe.for(tasks.map(({ id }) => id))("%s", (id) => {
    const task = taskOf(id);
    const required = [...task.required, ...task.hidden.required];

    test.for(honestNamesOf(task))("its %s solution passes exactly the tests that it names", (name) => {
      expect(outcomes[`${id}.${name}`]).toEqual(Object.fromEntries(required.map((one) => [one, "passed"])));
    });

    test.for(["starter", "wrong"])("its %s files fail", (name) => {
      const results = outcomes[`${id}.${name}`];
      expect(results).toBeDefined();
      expect(required.filter((one) => results?.[one] !== "passed")).not.toEqual([]);
    });

    test("its starter fails a visible and a hidden test", () => {
      const failed = (ids: readonly string[]) => ids.filter((one) => outcomes[`${id}.starter`]?.[one] !== "passed");
      expect(failed(task.required)).not.toEqual([]);
      expect(failed(task.hidden.required)).not.toEqual([]);
    });

    test("its files lie where their folder says", () => {
      expect(Object.keys(task.trees["tests"]!)).toEqual(expect.arrayContaining(task.tests));
      expect(Object.keys(task.trees["hidden"]!)).toEqual(expect.arrayContaining(task.hidden.tests));
      for (const path of Object.keys(task.trees["hidden"]!)) {
        for (const name of ["starter", "tests", "wrong", ...honestNamesOf(task)]) {
          expect(task.trees[name]).not.toHaveProperty([path]);
        }
      }
    });
  });
});

function taskOf(id: string): GauntletTask {
  const task = tasks.find((one) => one.id === id);
  if (task === undefined) throw new Error(`the gauntlet has no task ${id}`);
  return task;
}

function honestNamesOf({ trees }: Pick<GauntletTask, "trees">): string[] {
  return Object.keys(trees).filter((name) => name === "honest" || name.startsWith("honest-"));
}
