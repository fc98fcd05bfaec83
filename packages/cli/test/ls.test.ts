import { execFile } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { fileLogStore, runTask } from "@swarm/core";
import { conformanceTask, conformanceTeam } from "@swarm/core/testing";
import { type RunRow, SORTS, type Stats } from "@swarm/corpus";
import { afterEach, describe, expect, test } from "vitest";
import { COMMANDS } from "../src/index.ts";
import { cli, removeTempFolders, tempFolder } from "./cli.ts";

afterEach(removeTempFolders);

/** A folder with conformance runs of these names; one that begins with `broken` does not pass. */
async function folderWithRuns(...ids: string[]): Promise<string> {
  const cwd = tempFolder();
  const store = fileLogStore(join(cwd, "runs"));
  for (const runId of ids) {
    await runTask(conformanceTask, { team: conformanceTeam({ broken: runId.startsWith("broken") }), store, runId });
  }
  return cwd;
}

describe("swarm ls", () => {
  test("lists runs in a table, and how many there are besides", async () => {
    const cwd = await folderWithRuns("good1", "broken1", "good2");
    const { code, stdout, stderr } = await cli(["ls", "--limit", "2"], { cwd });
    expect([code, stderr]).toEqual([0, "2 of 3 runs; --limit 0 lists all\n"]);
    const [head, ...rows] = stdout.trimEnd().split("\n");
    expect(head).toMatch(/^run +started +task +team +outcome +repairs +calls +tokens +cost +failed by$/);
    expect(rows).toHaveLength(2);
    expect(rows[0]).toMatch(/^good2 +\d{4}-\d\d-\d\d \d\d:\d\d +conformance +conformance@1 +verified /);
    expect(rows[1]).toMatch(/^broken1 .* failed .* CheckFailed\|write\|main\.txt\|main$/);
  });

  test("--json gives all that is known of them", async () => {
    const cwd = await folderWithRuns("good1", "broken1");
    const { stdout } = await cli(["ls", "--json", "--outcome", "failed"], { cwd });
    const rows: RunRow[] = JSON.parse(stdout);
    expect(rows).toMatchObject([
      { runId: "broken1", outcome: "failed", passed: false, diedProgram: "write", repairs: 1 },
    ]);
  });

  test("sorts as it says", () => {
    const flag = COMMANDS.ls.flags.find(({ name }) => name === "sort");
    expect(flag?.value).toBe(Object.keys(SORTS).join("|"));
  });

  test("names logs that are damaged, and lists the others", async () => {
    const cwd = await folderWithRuns("good1");
    for (let nth = 1; nth <= 7; nth++) writeFileSync(join(cwd, "runs", `x${nth}.jsonl`), "no log\n");
    const { code, stdout, stderr } = await cli(["ls", "--json"], { cwd });
    expect([code, JSON.parse(stdout).length]).toEqual([0, 1]);
    const lines = stderr.trimEnd().split("\n");
    expect(lines).toHaveLength(6);
    expect(lines[0]).toMatch(/^swarm: not counted: x1\.jsonl: .*damaged/);
    expect(lines[5]).toBe("swarm: and 2 more logs");
  });

  test("says that its index cannot be kept, and lists all the same", async () => {
    const cwd = await folderWithRuns("good1");
    mkdirSync(join(cwd, "runs/.index.sqlite"));
    const { code, stdout, stderr } = await cli(["ls", "--json"], { cwd });
    expect([code, JSON.parse(stdout).length]).toEqual([0, 1]);
    expect(stderr).toContain("is made for this once: it cannot be kept (");
  });

  test.each([
    [["ls", "--sort", "age"], "--sort: has to be one of started, cost"],
    [["ls", "--limit", "-1"], "--limit: has to be a whole number"],
    [["stats", "--limit", "x"], "--limit: has to be a whole number"],
    [["stats", "--outcome", "good"], "--outcome: has to be one of verified"],
    [["ls"], "--runs: there is no folder "],
  ])("%j is refused", async (argv, message) => {
    const { code, stdout, stderr } = await cli(argv);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toContain(`swarm: ${message}`);
  });
});

describe("swarm stats", () => {
  test("says how runs ended, by what and where they failed, and what they cost", async () => {
    const cwd = await folderWithRuns("good1", "broken1");
    const { code, stdout, stderr } = await cli(["stats"], { cwd });
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toMatch(/^2 runs, passed: 50\.0 % of 2 judged\n/);
    expect(stdout).toMatch(/^CheckFailed\|write\|main\.txt\|main +3 +2 +1$/m);
    expect(stdout).toMatch(/^CheckFailed +3 +2 +1$/m);
    expect(stdout).toMatch(/^write +run\/write +1$/m);
    expect(stdout).toMatch(/^conformance@1 +2 +1 +50\.0 % of 2 judged$/m);
    expect(stdout).toMatch(/^reviewer +2 /m);
  });

  test("--json gives the same as one object, of the runs that fit", async () => {
    const cwd = await folderWithRuns("good1", "broken1");
    const { stdout } = await cli(["stats", "--json", "--task", "conf*", "--outcome", "verified"], { cwd });
    const stats: Stats = JSON.parse(stdout);
    expect(stats).toMatchObject({ total: { runs: 1, judged: 1, passed: 1 }, deaths: [] });
  });
});

describe("SQLite", () => {
  const main = new URL("../src/main.ts", import.meta.url).pathname;
  const node = (...argv: string[]) => promisify(execFile)(process.execPath, ["--conditions=@swarm/source", ...argv]);

  test("is not loaded by what does not need it", async () => {
    const program = `process.argv = ["node", "swarm", "tasks"]; await import(${JSON.stringify(main)}); console.log(process.moduleLoadList.join());`;
    const { stdout } = await node("--input-type=module", "-e", program);
    expect(stdout).toContain("NativeModule fs");
    expect(stdout).not.toContain("NativeModule sqlite");
  });

  test("warns nobody that it is experimental, and of other things all the same", async () => {
    const cwd = await folderWithRuns("good1");
    const { stdout, stderr } = await node(main, "ls", "--json", "--runs", join(cwd, "runs"));
    expect([JSON.parse(stdout).length, stderr]).toEqual([1, ""]);
    expect(existsSync(join(cwd, "runs/.index.sqlite"))).toBe(true);
    expect(readFileSync(join(cwd, "runs/.index.sqlite")).subarray(0, 15).toString()).toBe("SQLite format 3");
  });
});
