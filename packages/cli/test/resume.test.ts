import { cpSync, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileLogStore, firstDivergence, parseLog, runTask } from "@swarm/core";
import { conformanceTask, conformanceTeam } from "@swarm/core/testing";
import { loadTask } from "@swarm/tasks";
import { afterEach, describe, expect, test } from "vitest";
import { cli, removeTempFolders, rewriteLog, tempFolder, writeTaskFile } from "./cli.ts";

afterEach(removeTempFolders);

const MOCK = ["--task", "page-window", "--mock", "--json", "--isolation", "none"];
const JSON_FLAGS = ["--json", "--isolation", "none"];

async function finishedRun(...flags: string[]) {
  const cwd = tempFolder();
  const result = JSON.parse((await cli(["run", ...MOCK, ...flags], { cwd })).stdout);
  return { cwd, result, log: result.log as string, events: parseLog(readFileSync(result.log)).events };
}

/** Cuts a log off behind its first line that holds `text`, and amid the line after that, as a crash leaves it. */
function cutAfter(log: string, text: string): void {
  const lines = readFileSync(log, "utf8").split("\n");
  const index = lines.findIndex((line) => line.includes(text));
  if (index === -1) throw new Error(`no line of the log holds ${text}`);
  writeFileSync(log, `${lines.slice(0, index + 1).join("\n")}\n${lines[index + 1]!.slice(0, 40)}`);
}

describe("swarm resume", () => {
  test("goes on with a mock run that was cut off in a model call, which is charged and told as of unknown use", async () => {
    const { cwd, log, events, result } = await finishedRun();
    cutAfter(log, '"op":"model"');
    const resumed = await cli(["resume", "latest", ...JSON_FLAGS], { cwd });
    expect(resumed.code).toBe(0);
    expect(resumed.stderr).toContain("the run goes on from its log");
    const again = JSON.parse(resumed.stdout);
    expect(again).toMatchObject({ runId: result.runId, outcome: result.outcome, state: result.state });
    expect(again.usage.modelCalls).toBe(result.usage.modelCalls + 1);
    expect(firstDivergence(events, parseLog(readFileSync(log)).events)).toBeNull();

    const { stdout } = await cli(["cost", "latest"], { cwd });
    expect(stdout).toContain("1 call of unknown use: counted with all that it could have used");
    expect(stdout).toMatch(/^ {2}planner in run\/plan: cut off, [\d,]+ tokens at most, \$0\.00$/m);
  });

  test("of a run that has its verdict, gives it again and changes nothing in its log", async () => {
    const { cwd, log, result } = await finishedRun();
    const before = readFileSync(log);
    const { code, stdout } = await cli(["resume", result.runId, ...JSON_FLAGS, "--out", "solved"], { cwd });
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual({ ...result, out: join(cwd, "solved") });
    expect(readFileSync(log)).toEqual(before);
    expect(existsSync(join(cwd, "solved/src/page-window.mjs"))).toBe(true);
  });

  test("needs no key for a verdict that is there, and names the one that it lacks where it would ask", async () => {
    const { cwd, log } = await finishedRun();
    rewriteLog(log, (text) => text.replaceAll("mock:page-window", "anthropic:claude-x"));
    expect((await cli(["resume", "latest", ...JSON_FLAGS], { cwd })).code).toBe(0);
    cutAfter(log, '"op":"model"');
    const { code, stdout } = await cli(["resume", "latest", ...JSON_FLAGS], { cwd });
    expect(code).toBe(2);
    expect(JSON.parse(stdout).error).toMatchObject({ code: "MISSING_KEY", field: "ANTHROPIC_API_KEY" });
  });

  test("a limit that ended the run can be raised, and what was spent counts", async () => {
    const { cwd } = await finishedRun("--max-calls", "3");
    const same = await cli(["resume", "latest", ...JSON_FLAGS], { cwd });
    expect([same.code, JSON.parse(same.stdout).outcome]).toEqual([1, "budget"]);
    const more = await cli(["resume", "latest", ...JSON_FLAGS, "--max-calls", "8"], { cwd });
    expect([more.code, JSON.parse(more.stdout).outcome]).toEqual([0, "passed"]);
  });

  test("plays on with the script of a task file, which the log names", async () => {
    const cwd = tempFolder();
    await writeTaskFile(join(cwd, "own.json"), () => ({ id: "own" }));
    const flags = ["--mock", ...JSON_FLAGS];
    const { log } = JSON.parse((await cli(["run", "--task", "own.json", ...flags], { cwd })).stdout);
    cutAfter(log, '"type":"attempt"');
    expect((await cli(["resume", log, ...JSON_FLAGS], { cwd })).code).toBe(0);
  });

  test("writes what passed to the folder that the run was started for, if it is named again", async () => {
    const { cwd, log } = await finishedRun("--workspace", "app");
    cutAfter(log, '"type":"attempt"');
    rmSync(join(cwd, "app"), { recursive: true });
    const without = JSON.parse((await cli(["resume", "latest", ...JSON_FLAGS], { cwd })).stdout);
    expect(without).toMatchObject({ passed: true, workspace: { written: false } });
    const { stdout } = await cli(["resume", "latest", ...JSON_FLAGS, "--workspace", "app"], { cwd });
    expect(JSON.parse(stdout)).toMatchObject({ passed: true, workspace: { written: true, problem: null } });
    const { mock } = await loadTask("page-window");
    for (const [path, content] of Object.entries(mock!.right.files))
      expect(readFileSync(join(cwd, "app", path), "utf8")).toBe(content);
  });

  test("refuses another version of the team, another team, and a folder for a run without one", async () => {
    const { cwd, log } = await finishedRun();
    const refused = async (...flags: string[]) => {
      const { code, stdout } = await cli(["resume", "latest", ...JSON_FLAGS, ...flags], { cwd });
      expect(code).toBe(2);
      return JSON.parse(stdout).error;
    };
    expect(await refused("--workspace", "app")).toMatchObject({ field: "workspace" });
    rewriteLog(log, (text) => text.replace(/"version":"\d+"/, '"version":"0"'));
    expect(await refused()).toMatchObject({ code: "TEAM_MISMATCH", field: "team.version" });
    await runTask(conformanceTask, { team: conformanceTeam(), store: fileLogStore(join(cwd, "runs")), runId: "other" });
    const { stdout } = await cli(["resume", "other", "--json"], { cwd });
    expect(JSON.parse(stdout).error).toMatchObject({ code: "TEAM_MISMATCH", field: "team" });
  });

  test("says in which folder the files of the run are not", async () => {
    const { cwd, log } = await finishedRun("--max-calls", "3");
    cpSync(log, join(cwd, "alone", basename(log)));
    const flags = ["--runs", "alone", "--max-calls", "8", ...JSON_FLAGS];
    const { code, stdout } = await cli(["resume", "latest", ...flags], { cwd });
    expect([code, JSON.parse(stdout).error]).toMatchObject([
      2,
      { field: "--runs", message: expect.stringMatching(/alone\/objects does not hold the files of run /) },
    ]);
  });

  test("refuses a run that is under way, and a log that goes by another name", async () => {
    const { cwd, log } = await finishedRun("--max-calls", "3");
    renameSync(log, join(cwd, "runs/copy.jsonl"));
    const copy = await cli(["resume", "copy", "--json"], { cwd });
    expect([copy.code, JSON.parse(copy.stdout).error.message]).toEqual([2, expect.stringMatching(/is the log of run/)]);

    renameSync(join(cwd, "runs/copy.jsonl"), log);
    const { writer } = await fileLogStore(join(cwd, "runs")).open(basename(log, ".jsonl"));
    const busy = await cli(["resume", "latest", "--json"], { cwd });
    await writer.close();
    expect([busy.code, JSON.parse(busy.stdout).error.code]).toEqual([2, "LOG_BUSY"]);
  });
});
