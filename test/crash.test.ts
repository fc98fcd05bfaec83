import { describe, expect, test } from "vitest";
import { TEAM_NAMES } from "../packages/cli/src/teams/names.ts";
import { crashTeams } from "./crash/in-memory.ts";
import { mockCuts } from "./crash/mock-run.ts";
import { crashProcesses } from "./crash/processes.ts";

// A sample; `npm run -s bench -- crash --all` does all of it.
const seed = 6;

describe("a run that crashes and is resumed comes to the verdict, the files and the events of one that was never disturbed", () => {
  test("generated teams: cut off, torn, on a full disk, aborted, several times over", async () => {
    expect(await crashTeams({ cases: 200, seed })).toMatchObject({ cases: 200 });
  });

  test("generated teams in processes that are killed", async () => {
    expect(await crashProcesses({ cases: 3, seed })).toMatchObject({ cases: 3 });
  });
});

describe.each(TEAM_NAMES)(
  "a mock run of %s that crashes and is resumed is the one that was never disturbed",
  (team) => {
    test.each(["events", "bytes", "kills"] as const)("at %s", async (at) => {
      const { cases } = await mockCuts({ team, taskId: "page-window" }, { at, most: at === "kills" ? 1 : 3, seed });
      expect(cases).toBeGreaterThan(0);
    });
  },
);
