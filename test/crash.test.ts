import { readdirSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { TEAM_NAMES } from "../packages/cli/src/teams/names.ts";
import { crashTeams } from "./crash/in-memory.ts";
import { crashProcesses } from "./crash/processes.ts";

// A sample, as are those of each team's mock run in test/mock-runs; `npm run -s bench -- crash --all` does all of it.
const seed = 6;

describe("a run that crashes and is resumed comes to the verdict, the files and the events of one that was never disturbed", () => {
  test("generated teams: cut off, torn, on a full disk, aborted, several times over", async () => {
    expect(await crashTeams({ cases: 200, seed })).toMatchObject({ cases: 200 });
  });

  test("generated teams in processes that are killed", async () => {
    expect(await crashProcesses({ cases: 3, seed })).toMatchObject({ cases: 3 });
  });
});

test("the mock run of each team of the command has its file", () => {
  const files = readdirSync(new URL("mock-runs", import.meta.url)).filter((name) => name.endsWith(".test.ts"));
  expect(files.sort()).toEqual(TEAM_NAMES.map((name) => `${name}.test.ts`).sort());
});
