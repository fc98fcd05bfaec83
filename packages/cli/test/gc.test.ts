import { readdirSync, rmSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { cli, removeTempFolders, tempFolder } from "./cli.ts";

afterEach(removeTempFolders);

const MOCK_RUN = ["run", "--task", "page-window", "--mock", "--json"];

/** Lets everything that is stored be two days old. */
function age(cwd: string): void {
  const objects = join(cwd, "runs/objects");
  const then = Date.now() / 1000 - 2 * 24 * 60 * 60;
  for (const name of readdirSync(objects, { recursive: true, encoding: "utf8" }))
    utimesSync(join(objects, name), then, then);
}

describe("swarm gc", () => {
  test("keeps what the runs that have a log need, and removes what only others needed", async () => {
    const cwd = tempFolder();
    const { runId } = JSON.parse((await cli(MOCK_RUN, { cwd })).stdout);
    const told = async () => [
      (await cli(["show", runId, "--json"], { cwd })).stdout,
      (await cli(["show", runId, "--patch"], { cwd })).stdout,
    ];
    const before = await told();
    expect(before[1]).toContain("diff --git");
    age(cwd);

    const dry = JSON.parse((await cli(["gc", "--dry-run", "--json"], { cwd })).stdout);
    expect(dry).toEqual({
      kept: expect.any(Number),
      removed: expect.any(Number),
      bytes: expect.any(Number),
      dryRun: true,
    });
    expect((await cli(["gc"], { cwd })).stdout).toMatch(/^removed \d+ objects? of [\d,]+ bytes, \d+ kept\n$/);
    expect(await told()).toEqual(before);

    rmSync(join(cwd, "runs", `${runId}.jsonl`));
    const { stdout } = await cli(["gc", "--json"], { cwd });
    expect(JSON.parse(stdout)).toMatchObject({ kept: 0, removed: dry.kept, dryRun: false });
  });

  test("refuses a folder that is not there, rather than take it for one without logs", async () => {
    const { code, stderr } = await cli(["gc", "--runs", "none"]);
    expect(code).toBe(2);
    expect(stderr).toMatch(/--runs: there is no folder .*none; name one that holds logs/);
  });
});
