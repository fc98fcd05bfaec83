import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type CostReport, fileLogStore, runTask } from "@swarm/core";
import { conformanceTask, conformanceTeam } from "@swarm/core/testing";
import { afterEach, describe, expect, test } from "vitest";
import { cli, removeTempFolders, tempFolder } from "./cli.ts";

afterEach(removeTempFolders);

const MOCK_RUN = ["run", "--task", "page-window", "--mock", "--json"];

describe("the cost report of a run", () => {
  test("is written at its end, and told of", async () => {
    const cwd = tempFolder();
    const { stdout, stderr } = await cli(MOCK_RUN, { cwd });
    const { runId, usage, views, outcome } = JSON.parse(stdout);
    expect(views.cost).toBe(join(cwd, "runs", runId, "cost.json"));
    expect(stderr).toContain(`\ncost report: runs/${runId}/cost.json\n`);
    const report: CostReport = JSON.parse(readFileSync(views.cost, "utf8"));
    expect(report).toMatchObject({ runId, outcome, total: { calls: usage.modelCalls, usd: 0 } });
  });

  test("is written of a run that a limit ended", async () => {
    const { stdout } = await cli([...MOCK_RUN, "--max-calls", "2"]);
    const { views } = JSON.parse(stdout);
    expect(JSON.parse(readFileSync(views.cost, "utf8"))).toMatchObject({ outcome: "budget", total: { calls: 2 } });
  });

  test("is unavailable where it cannot be written, which changes nothing else", async () => {
    const cwd = tempFolder();
    const { code, stdout, stderr } = await cli(MOCK_RUN, {
      cwd,
      onStderr(text) {
        const [, runId] = /^run (\S+)\n/.exec(text) ?? [];
        if (runId) mkdirSync(join(cwd, "runs", runId, "cost.json"), { recursive: true });
      },
    });
    expect(code).toBe(0);
    expect(stderr).toMatch(/^cost report: unavailable \(EISDIR: .*\)$/m);
    const { views } = JSON.parse(stdout);
    expect(views.cost).toBeNull();
    const last = JSON.parse(readFileSync(views.log, "utf8").trim().split("\n").at(-1)!);
    expect(last).toMatchObject({
      event: "cost_report_failed",
      level: "error",
      reason: expect.stringMatching(/^EISDIR/),
    });
  });
});

describe("swarm cost", () => {
  test("--json makes the report again from the log", async () => {
    const cwd = tempFolder();
    const { stdout } = await cli(MOCK_RUN, { cwd });
    const again = await cli(["cost", "latest", "--json"], { cwd });
    expect([again.code, again.stderr]).toEqual([0, ""]);
    expect(again.stdout).toBe(readFileSync(JSON.parse(stdout).views.cost, "utf8"));
  });

  test("shows a table by role, with the total, the unpriced models and the calls whose use is not known", async () => {
    const cwd = tempFolder();
    const store = fileLogStore(join(cwd, "runs"));
    await runTask(conformanceTask, { team: conformanceTeam(), store, runId: "r1" });
    const { code, stdout } = await cli(["cost", "r1"], { cwd });
    expect(code).toBe(0);
    expect(stdout).toMatch(/^run r1: verified\nrole +calls +input +output +cache read +cache write +cost\n/);
    expect(stdout).toMatch(/^reviewer +1 +100 +20 +0 +0 +(not known|\$0\.00)$/m);
    expect(stdout).toMatch(/^total +\d+ +/m);
  });

  test("names calls that count with their reserve", async () => {
    const cwd = tempFolder();
    const { stdout } = await cli(MOCK_RUN, { cwd });
    const log = JSON.parse(stdout).log as string;
    const lines = readFileSync(log, "utf8").split("\n");
    const firstModelCall = lines.findIndex((line) => line.includes('"op":"model"'));
    writeFileSync(log, lines.slice(0, firstModelCall + 1).join("\n"));
    const cost = await cli(["cost", "latest"], { cwd });
    expect(cost.stdout).toContain("no verdict");
    expect(cost.stdout).toContain("1 call of unknown use: counted with all that it could have used");
  });

  test("is refused for a run that is not there", async () => {
    const { code, stderr } = await cli(["cost", "latest"]);
    expect(code).toBe(2);
    expect(stderr).toMatch(/^swarm: run: there is no run in /);
  });
});
