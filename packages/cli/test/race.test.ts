import { readFileSync, writeFileSync } from "node:fs";
import { firstDivergence, parseLog } from "@swarm/core";
import { afterEach, describe, expect, test } from "vitest";
import { cli, removeTempFolders, tempFolder } from "./cli.ts";

afterEach(removeTempFolders);

const RACE = ["run", "--task", "page-window", "--mock", "--race", "2", "--json"];

describe("swarm run --race", () => {
  test("lets candidates race, tells of each and who won, and says what the loser cost", async () => {
    const cwd = tempFolder();
    const { code, stdout, stderr } = await cli(RACE, { cwd });
    expect(code).toBe(0);
    expect(stderr).toMatch(/^team {7}codeswarm \d+; 2 candidates race for each step$/m);
    expect(stderr).toMatch(/race-implement\/0: coder \[1\/10\]/);
    expect(stderr).toMatch(/race-implement\/1: coder \[1\/10\]/);
    expect(stderr).toMatch(/race won by candidate [12]$/m);
    const { log, usage } = JSON.parse(stdout);
    const { total, lost } = JSON.parse((await cli(["cost", "latest", "--json"], { cwd })).stdout);
    expect(total.calls).toBe(usage.modelCalls);
    expect(lost.calls).toBeGreaterThan(0);
    expect((await cli(["cost", "latest"], { cwd })).stdout).toContain("in it, of branches that lost a race: ");

    const { events } = parseLog(readFileSync(log));
    const lines = readFileSync(log, "utf8").split("\n");
    const amid = lines.findIndex(
      (line) => line.includes("race-implement/1/implement") && line.includes('"type":"fault"'),
    );
    writeFileSync(log, `${lines.slice(0, amid).join("\n")}\n`);
    const resumed = await cli(["resume", "latest", "--json"], { cwd });
    expect(resumed.code).toBe(0);
    const again = parseLog(readFileSync(log)).events;
    const winners = [events, again].map((run) => JSON.stringify(run).match(/"winner":\d/)?.[0]);
    if (winners[0] === winners[1]) expect(firstDivergence(events, again)).toBeNull();
  });

  test.each(["0", "6", "two"])("refuses %s candidates", async (race) => {
    const { code, stderr } = await cli(["run", "--task", "page-window", "--mock", "--race", race]);
    const message = `swarm: --race: has to be a whole number from 1 to 5, and is ${JSON.stringify(race)}\n`;
    expect([code, stderr]).toEqual([2, message]);
  });
});
