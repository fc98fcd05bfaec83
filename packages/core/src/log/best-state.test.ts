import { expect, test } from "vitest";
import type { RunEvent } from "../contracts/event.ts";
import { faultOf } from "../contracts/fault.ts";
import type { TestStatus } from "../contracts/suite.ts";
import { bestState } from "./best-state.ts";

type Seen = { snapshot: string; statuses: TestStatus[]; crashed?: boolean };

/** The events of test runs, one after another. */
function events(runs: readonly Seen[]): RunEvent[] {
  return runs.flatMap(({ snapshot, statuses, crashed = false }, index): RunEvent[] => {
    const tests = statuses.map((status, nth) => ({
      id: `t${nth}`,
      file: null,
      status,
      message: null,
      errorType: null,
      location: null,
    }));
    const value = { tests, fault: crashed ? faultOf({ code: "RUNNER_CRASHED", message: "" }) : null };
    const event = { stepId: "run/a", kind: "test", agent: null } as const;
    return [
      {
        ...event,
        tsIndex: index * 2,
        key: `0.${index * 2}`,
        payload: { type: "begin", call: { op: "test", suites: [] }, effect: "none" },
      },
      {
        ...event,
        tsIndex: index * 2 + 1,
        key: `0.${index * 2 + 1}`,
        payload: { type: "end", of: `0.${index * 2}`, value, fault: null, snapshot },
      },
    ];
  });
}

test.each<[string, Seen[], string]>([
  [
    "more passed tests",
    [
      { snapshot: "a", statuses: ["passed", "passed"] },
      { snapshot: "b", statuses: ["passed", "failed"] },
    ],
    "a",
  ],
  [
    "the latest of equals",
    [
      { snapshot: "a", statuses: ["passed"] },
      { snapshot: "b", statuses: ["passed"] },
    ],
    "b",
  ],
  [
    "a whole run before one that broke off",
    [
      { snapshot: "a", statuses: ["passed", "failed"] },
      { snapshot: "b", statuses: ["passed", "passed"], crashed: true },
    ],
    "a",
  ],
  [
    "a whole suite before a part of it",
    [
      { snapshot: "a", statuses: ["passed", "passed", "failed"] },
      { snapshot: "b", statuses: ["passed"] },
    ],
    "a",
  ],
])("%s counts", (_, runs, snapshot) => {
  expect(bestState(events(runs))?.snapshot).toBe(snapshot);
});

test("what was skipped has not failed, and what passed unexpectedly has passed", () => {
  expect(
    bestState(events([{ snapshot: "a", statuses: ["passed", "xpassed", "skipped", "xfailed", "error"] }])),
  ).toEqual({
    snapshot: "a",
    testsPassed: 2,
    testsFailed: 1,
  });
  expect(bestState([])).toBeNull();
});

test("of branches side by side the order of their events says nothing, and a branch that lost its race does not count", () => {
  const [left = [], right = []] = ["all/left", "all/right"].map((branch) =>
    events([{ snapshot: branch, statuses: ["passed"] }]).map((event) => ({ ...event, stepId: `run/${branch}/do` })),
  );
  expect(bestState([...left, ...right])?.snapshot).toBe("all/right");
  expect(bestState([...right, ...left])?.snapshot).toBe("all/right");

  const raced = (index: number, statuses: TestStatus[]) =>
    events([{ snapshot: `runner ${index}`, statuses }]).map((event) => ({
      ...event,
      stepId: `run/race-do/${index}/do`,
    }));
  const won: RunEvent = {
    tsIndex: 4,
    stepId: "run",
    key: "0.1",
    kind: "recovery",
    agent: null,
    payload: { type: "recovered", how: "winner", detail: { race: "run/race-do", winner: 1 } },
  };
  expect(bestState([...raced(0, ["passed", "passed"]), ...raced(1, ["passed"]), won])?.snapshot).toBe("runner 1");
});
