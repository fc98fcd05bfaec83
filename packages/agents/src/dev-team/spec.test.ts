import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { consolidated, evenGroups, groupProblems } from "./consolidation.ts";
import { MOST_TASKS, type Spec, SpecSchema, type SpecTask, specProblems } from "./spec.ts";

const criteria = ["AC1", "AC2"].map((id) => ({ id, text: `${id} holds` }));
const task = (id: string, ...covers: string[]): SpecTask => ({ id, title: id, instructions: `Build ${id}.`, covers });

describe("a specification", () => {
  it.each<[string, Spec, RegExp | null]>([
    ["that holds together", { criteria, tasks: [task("T1", "AC1"), task("T2", "AC2", "AC1")] }, null],
    [
      "with a task that covers an unknown criterion",
      { criteria, tasks: [task("T1", "AC1", "AC2", "AC9")] },
      /^task T1 covers AC9, which is no criterion; there are AC1, AC2$/,
    ],
    ["with a criterion that no task covers", { criteria, tasks: [task("T1", "AC1")] }, /^no task covers AC2$/],
    [
      "with a task that covers nothing",
      { criteria, tasks: [task("T1", "AC1", "AC2"), task("T2")] },
      /^task T2 covers no/,
    ],
    ["with a task twice", { criteria, tasks: [task("T1", "AC1"), task("T1", "AC2")] }, /^two tasks have the id T1$/],
    [
      "with a criterion twice",
      { criteria: [...criteria, criteria[0]!], tasks: [task("T1", "AC1", "AC2")] },
      /^two criteria have the id AC1$/,
    ],
  ])("%s", (_, spec, problem) => {
    expect(SpecSchema.safeParse(spec).success).toBe(true);
    if (problem === null) expect(specProblems(spec)).toEqual([]);
    else expect(specProblems(spec).join("; ")).toMatch(problem);
  });

  it("has ids of one form", () => {
    const spec = { criteria: [{ id: "1", text: "holds" }], tasks: [task("T1", "1")] };
    expect(SpecSchema.safeParse(spec).error?.issues[0]?.message).toBe("has to be AC1, AC2, …");
  });
});

describe("too many tasks", () => {
  const many = (count: number) => Array.from({ length: count }, (_, nth) => task(`T${nth + 1}`, `AC${(nth % 5) + 1}`));

  it("become at most 8 by rule: neighbours together, each in one, none left out", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 60 }), (count) => {
        const tasks = many(count);
        const groups = evenGroups(tasks, MOST_TASKS);
        expect(groups.length).toBe(Math.min(count, MOST_TASKS));
        expect(groupProblems(groups, tasks)).toEqual([]);
        expect(groups.flatMap((group) => group.tasks)).toEqual(tasks.map(({ id }) => id));
        const sizes = groups.map((group) => group.tasks.length);
        expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThanOrEqual(1);
        const fewer = consolidated(tasks, groups);
        expect(new Set(fewer.tasks.flatMap(({ covers }) => covers))).toEqual(
          new Set(tasks.flatMap(({ covers }) => covers)),
        );
        expect(fewer.mapping.flatMap(({ from }) => from)).toEqual(tasks.map(({ id }) => id));
      }),
    );
  });

  it("are joined with what each said, in the order in which they were planned", () => {
    const fewer = consolidated(many(3), [
      { title: "Both ends", tasks: ["T3", "T1"] },
      { title: "Middle", tasks: ["T2"] },
    ]);
    expect(fewer.tasks[0]).toEqual({
      id: "T1",
      title: "Both ends",
      instructions: "T1: Build T1.\n\nT3: Build T3.",
      covers: ["AC1", "AC3"],
    });
    expect(fewer.mapping).toEqual([
      { id: "T1", from: ["T1", "T3"] },
      { id: "T2", from: ["T2"] },
    ]);
  });

  it.each([
    [[["T1"], ["T2"]], ["T3 is in no group"]],
    [
      [
        ["T1", "T2"],
        ["T2", "T3"],
      ],
      ["T2 is in more than one group"],
    ],
    [[["T1", "T2", "T3", "T4"]], ["T4 is no task"]],
  ])("are not grouped as %j", (groups, problems) => {
    const named = groups.map((tasks, nth) => ({ title: `${nth}`, tasks }));
    expect(groupProblems(named, many(3))).toEqual(problems);
  });
});
