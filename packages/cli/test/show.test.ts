import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileLogStore, runTask, startRun } from "@swarm/core";
import { conformanceTask, conformanceTeam, scripted } from "@swarm/core/testing";
import { afterEach, describe, expect, test } from "vitest";
import { cli, removeTempFolders, tempFolder } from "./cli.ts";

afterEach(removeTempFolders);

/** A folder whose `runs` holds a log of each of these runs, the first the oldest. */
async function folderWithRuns(...ids: string[]): Promise<string> {
  const cwd = tempFolder();
  for (const [age, runId] of ids.entries()) {
    const store = fileLogStore(join(cwd, "runs"));
    await runTask(conformanceTask, { team: conformanceTeam({ broken: runId.startsWith("broken") }), store, runId });
    utimesSync(logOf(cwd, runId), 1000 + age, 1000 + age);
  }
  return cwd;
}
const MOCK_RUN = ["run", "--task", "page-window", "--mock", "--json"];
const logOf = (cwd: string, runId: string) => join(cwd, "runs", `${runId}.jsonl`);

describe("swarm show", () => {
  test("tells the story of a run: steps, attempts, failure, hint, verdict", async () => {
    const cwd = await folderWithRuns("good");
    const { code, stdout } = await cli(["show", "good"], { cwd });
    expect(code).toBe(0);
    const parts = [
      "run good",
      "[2] write",
      "attempt 1 failed: CheckFailed",
      "| It has to say right.",
      "attempt 2 of 2",
    ];
    for (const part of [...parts, "repairs  1 attempt made again after a failure", "VERIFIED"])
      expect(stdout).toContain(part);
  });

  test("of a run that failed, says what is unresolved", async () => {
    const cwd = await folderWithRuns("broken");
    const { code, stdout } = await cli(["show", "broken"], { cwd });
    expect(code).toBe(0);
    expect(stdout).toContain("NOT PASSED (failed)");
    expect(stdout).toContain("- main.txt does not include right");
    expect(stdout).toContain("given up after 2 attempts");
  });

  test("--json gives the result as one object", async () => {
    const cwd = await folderWithRuns("good");
    const { stdout, stderr } = await cli(["show", "good", "--json"], { cwd });
    const result = { runId: "good", taskId: "conformance", passed: true, repairs: 1, log: logOf(cwd, "good") };
    expect(JSON.parse(stdout)).toMatchObject(result);
    expect(stderr).toBe("");
  });

  test("of a run that is under way, says so and by which process, and gives no verdict", async () => {
    const cwd = tempFolder();
    const base = conformanceTeam();
    const hanging = { ...scripted("a:b", {}), complete: () => new Promise<never>(() => {}) };
    const roles = { ...base.roles, coder: { ...base.roles["coder"]!, models: [hanging] as const } };
    const store = fileLogStore(join(cwd, "runs"));
    const run = startRun(conformanceTask, { team: { ...base, roles }, store, runId: "now" });
    const asked = new Promise((resolve) => run.on("agent", resolve));
    await asked;
    const { stdout } = await cli(["show", "now"], { cwd });
    expect(stdout).toMatch(new RegExp(`^UNDER WAY: process ${process.pid} is at it$`, "m"));
    expect(stdout).not.toContain("NOT PASSED");
    const json = async () => JSON.parse((await cli(["show", "now", "--json"], { cwd })).stdout);
    expect(await json()).toMatchObject({ process: process.pid });
    run.abort();
    await run.result;
    expect(await json()).toMatchObject({ outcome: "aborted", process: null });
  });

  test.each<[string[], (stdout: string) => unknown, unknown]>([
    [[], (stdout) => stdout, expect.stringMatching(/^run now\n[\s\S]*\[2\] write[\s\S]*attempt 2 of 2[\s\S]*VERIFIED/)],
    [["--json"], JSON.parse, expect.objectContaining({ runId: "now", outcome: "verified", process: null })],
  ])("--follow goes along with a run until its end: %j", async (flags, read, expected) => {
    const cwd = tempFolder();
    const store = fileLogStore(join(cwd, "runs"));
    const run = startRun(conformanceTask, { team: conformanceTeam(), store, runId: "now" });
    await new Promise((resolve) => run.on("event", resolve));
    const { code, stdout } = await cli(["show", "now", "--follow", ...flags], { cwd });
    expect(code).toBe(0);
    expect(read(stdout)).toEqual(expected);
    expect(await cli(["show", "now", ...flags], { cwd })).toMatchObject({ stdout });
    await run.result;
  });

  test.each([
    ["latest", "a2"],
    ["a1", "a1"],
    ["b", "b1"],
    ["runs/a1.jsonl", "a1"],
  ])("%s means the run %s", async (name, runId) => {
    const cwd = await folderWithRuns("a1", "b1", "a2");
    const { stdout } = await cli(["show", name, "--json"], { cwd });
    expect(JSON.parse(stdout).runId).toBe(runId);
  });

  test("a link that leads nowhere keeps no other run from being found", async () => {
    const cwd = await folderWithRuns("a1");
    symlinkSync("nowhere", join(cwd, "runs/b1.jsonl"));
    expect(JSON.parse((await cli(["show", "latest", "--json"], { cwd })).stdout).runId).toBe("a1");
    expect((await cli(["show", "b1"], { cwd })).stderr).toContain("run: there is no run b1 in ");
  });

  test.each([
    ["a", "run: a is the beginning of 2 runs: a2, a1"],
    ["c", "run: there is no run c in "],
    ["runs/c.jsonl", "run: there is no log "],
  ])("%s is refused", async (name, message) => {
    const cwd = await folderWithRuns("a1", "a2");
    const { code, stderr } = await cli(["show", name], { cwd });
    expect(code).toBe(2);
    expect(stderr).toContain(message);
  });

  test("without any run says where it looked", async () => {
    const { code, stderr } = await cli(["show", "latest", "--runs", "elsewhere"]);
    expect(code).toBe(2);
    expect(stderr).toMatch(/there is no run in .*elsewhere; --runs names another folder/);
  });

  test("names the line of a log that is damaged", async () => {
    const cwd = await folderWithRuns("good");
    const lines = readFileSync(logOf(cwd, "good"), "utf8").split("\n");
    lines[4] = lines[4]!.replace("write", "wrote");
    writeFileSync(logOf(cwd, "good"), lines.join("\n"));
    const { code, stdout, stderr } = await cli(["show", "good", "--json"], { cwd });
    expect(code).toBe(2);
    expect(JSON.parse(stdout).error).toMatchObject({ code: "LOG_DAMAGED", field: null });
    expect(stderr).toMatch(/^swarm: .*good\.jsonl: line 5 of the log, at byte \d+, is damaged: .*\n$/);
  });

  test("takes a torn last line as not written, and says so", async () => {
    const cwd = await folderWithRuns("good");
    const text = readFileSync(logOf(cwd, "good"), "utf8");
    writeFileSync(logOf(cwd, "good"), text.slice(0, -40));
    const { code, stdout, stderr } = await cli(["show", "good"], { cwd });
    expect(code).toBe(0);
    expect(stderr).toBe("swarm: the log's last line is torn, and taken as not written\n");
    expect(stdout).toContain("the log has no verdict: the run was cut off; swarm resume good goes on with it");
  });

  test("--patch and --files give what git apply makes of the starter", async () => {
    const cwd = tempFolder();
    await cli(["run", "--task", "duration-format", "--mock", "--out", "out"], { cwd });
    const patch = await cli(["show", "latest", "--patch"], { cwd });
    expect([patch.code, patch.stderr]).toEqual([0, ""]);
    expect((await cli(["show", "latest", "--files", "files"], { cwd })).code).toBe(0);
    const [fromRun, fromShow] = ["out", "files"].map((name) => readFileSync(join(cwd, name, "durations.py"), "utf8"));
    expect(fromShow).toBe(fromRun);

    execFileSync("git", ["apply", "-R", "-"], { cwd: join(cwd, "files"), input: patch.stdout });
    expect(readFileSync(join(cwd, "files/durations.py"), "utf8")).not.toBe(fromRun);
  });

  test("--files writes to an empty or new folder only", async () => {
    const cwd = tempFolder();
    mkdirSync(join(cwd, "full/inner"), { recursive: true });
    const { code, stderr } = await cli(["show", "latest", "--files", "full"], { cwd });
    expect(code).toBe(2);
    expect(stderr).toMatch(/^swarm: --files: .* has content/);
    expect(readdirSync(join(cwd, "full"))).toEqual(["inner"]);
  });

  test("reads the files of a log that is given by its path from --runs, or says where it looked", async () => {
    const [cwd, elsewhere] = [tempFolder(), tempFolder()];
    const { runId, log } = JSON.parse((await cli(MOCK_RUN, { cwd })).stdout);
    cpSync(log, join(elsewhere, "copy.jsonl"));
    const show = (...flags: string[]) => cli(["show", "./copy.jsonl", ...flags], { cwd: elsewhere });
    for (const flags of [["--patch"], ["--files", "files"]]) {
      const lost = await show(...flags);
      expect([lost.code, lost.stdout, readdirSync(elsewhere)]).toEqual([2, "", ["copy.jsonl"]]);
      const where = `swarm: --runs: ${join(elsewhere, "objects")} does not hold the files of run ${runId} (`;
      expect(lost.stderr).toContain(where);
      expect((await show(...flags, "--runs", join(cwd, "runs"))).code).toBe(0);
    }
    const { stdout } = await show("--patch", "--runs", join(cwd, "runs"));
    expect(stdout).toBe((await cli(["show", runId, "--patch"], { cwd })).stdout);
  });

  test.each(["show", "cost"])("%s refuses --runs that is a file", async (command) => {
    const cwd = tempFolder();
    writeFileSync(join(cwd, "README.md"), "");
    const { code, stderr } = await cli([command, "latest", "--runs", "README.md"], { cwd });
    expect([code, stderr]).toEqual([2, `swarm: --runs: ${cwd}/README.md is no folder; name the folder of the logs\n`]);
  });

  test.each([
    ["10", "the final state"],
    ["5", "the best state that its tests saw, which is no solution"],
    ["2", "the state as it was left: no test ran"],
  ])("--files says of a run of at most %s calls which state it is", async (calls, state) => {
    const cwd = tempFolder();
    const { runId } = JSON.parse((await cli([...MOCK_RUN, "--max-calls", calls], { cwd })).stdout);
    const { code, stderr } = await cli(["show", "latest", "--files", "files"], { cwd });
    expect(code).toBe(0);
    expect(stderr).toMatch(new RegExp(`^files: \\d+ files of run ${runId}: ${state}\n$`));
  });

  test("--files that cannot be written to is refused", async () => {
    const cwd = tempFolder();
    writeFileSync(join(cwd, "file"), "");
    const { code, stderr } = await cli(["show", "latest", "--files", "file/new"], { cwd });
    expect([code, stderr]).toEqual([2, `swarm: --files: ${cwd}/file/new is no folder; name an empty or a new one\n`]);
  });

  test("gives one thing at a time", async () => {
    const { code, stderr } = await cli(["show", "latest", "--patch", "--json"]);
    expect([code, stderr]).toEqual([
      2,
      "swarm: --patch, --files, --evidence, --pack, --json: exclude each other; give one of them\n",
    ]);
  });
});
