import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileLogStore, runPath, runTask } from "@swarm/core";
import { conformanceTask, conformanceTeam } from "@swarm/core/testing";
import { afterEach, describe, expect, test } from "vitest";
import { cli, removeTempFolders, rewriteLog, tempFolder } from "./cli.ts";

afterEach(removeTempFolders);

/** A folder whose `runs` holds a log of a run, and the run. */
async function folderWithRun(runId: string) {
  const cwd = tempFolder();
  const store = fileLogStore(join(cwd, "runs"));
  const team = conformanceTeam({ broken: runId.startsWith("broken") });
  return { cwd, trajectory: await runTask(conformanceTask, { team, store, runId }) };
}

describe("swarm graph", () => {
  test("draws attempts, hints, branches, the race and the verdict", async () => {
    const { cwd } = await folderWithRun("good");
    const { code, stdout, stderr } = await cli(["graph", "good"], { cwd });
    expect([code, stderr]).toEqual([0, ""]);
    const lines = stdout.split("\n").map((line) => line.trim());
    expect(lines[0]).toBe("flowchart TD");
    for (const line of [
      'n0(["run good: conformance on conformance"])',
      'n1["write<br>TEST_FAILED: main"]',
      'n2("diagnose write<br>It has to say right.")',
      'n3["write, attempt 2"]',
      "n1 -->|retry| n2",
      "n2 -->|hint| n3",
    ])
      expect(lines).toContain(line);
    expect(stdout).toMatch(/subgraph b\d\["all: left"\]\n {4}n\d\["write"\]\n {2}end\n/);
    expect(stdout).toMatch(/subgraph b\d\["race-once: candidate 1"\]\n {4}n\d\["once<br>LOST: no winner"\]\n {2}end\n/);
    expect(stdout).toMatch(/\(\["verified"\]\)\n/);
    const [, lost] = /class (\S+) lost\n/.exec(stdout) ?? [];
    expect(stdout).not.toMatch(new RegExp(`${lost} -->`));
  });

  test("of a run that failed, says by what", async () => {
    const { cwd } = await folderWithRun("broken");
    const { stdout } = await cli(["graph", "broken"], { cwd });
    expect(stdout).toMatch(/\(\["failed<br>main.txt does not include right"\]\)/);
    expect(stdout).toMatch(/-->\|not passed\|/);
  });

  test("of a log that ends early, draws what is in it, and says that it is torn", async () => {
    const { cwd } = await folderWithRun("good");
    const log = join(cwd, "runs", "good.jsonl");
    const lines = readFileSync(log, "utf8").split("\n");
    writeFileSync(log, `${lines.slice(0, 8).join("\n")}\n{"torn`);
    const { code, stdout, stderr } = await cli(["graph", "good"], { cwd });
    expect([code, stderr]).toEqual([0, "swarm: the log's last line is torn, and taken as not written\n"]);
    expect(stdout).toContain('n1["write<br>not ended"]');
  });

  test("lets nothing that a model wrote change the drawing", async () => {
    const { cwd } = await folderWithRun("good");
    rewriteLog(join(cwd, "runs", "good.jsonl"), (text) =>
      text.replaceAll("It has to say right.", '`x` <b>\\"]\\nn9 --> n1;'),
    );
    const { stdout } = await cli(["graph", "good"], { cwd });
    expect(stdout).toContain('n2("diagnose write<br>#96;x#96; #60;b#62;#34;#93;")');
  });

  test("--json gives the path", async () => {
    const { cwd, trajectory } = await folderWithRun("good");
    const { stdout } = await cli(["graph", "good", "--json"], { cwd });
    expect(JSON.parse(stdout)).toEqual(runPath(trajectory));
  });

  test("refuses what it does not know", async () => {
    const { cwd } = await folderWithRun("good");
    const { code, stderr } = await cli(["graph", "god"], { cwd });
    expect(code).toBe(2);
    expect(stderr).toMatch(/^swarm: run: there is no run god in .*; the latest are good\n$/);
    expect((await cli(["graph", "good", "--jsn"], { cwd })).stderr).toContain("did you mean --json?");
  });
});
