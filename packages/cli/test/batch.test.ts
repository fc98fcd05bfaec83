import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { runCli } from "../src/index.ts";
import { capture, cli, removeTempFolders, signals, tempFolder } from "./cli.ts";

afterEach(removeTempFolders);

type Row = { id: string; wrong: string; right: string; test: string };

/** A set whose tests are node:test's, which start sooner than pytest. */
function writeSet(cwd: string, rows: readonly Row[]): string {
  const lines = rows.map(({ id, wrong, right, test }) => {
    return JSON.stringify({
      id,
      prompt: "Mend it.",
      starterFiles: { "it.mjs": `export const it = (a, b) => ${wrong};\n` },
      solutionFiles: { "it.mjs": `export const it = (a, b) => ${right};\n` },
      testFiles: {
        "it.test.mjs": `import assert from "node:assert/strict";\nimport { test } from "node:test";\nimport { it } from "./it.mjs";\n${test}\n`,
      },
      runner: "node:test",
      language: "javascript",
      licence: "MIT",
      meta: {},
    });
  });
  writeFileSync(join(cwd, "set.jsonl"), `${lines.join("\n")}\n`);
  return "set.jsonl";
}

const SUM: Row = {
  id: "small/sum",
  wrong: "a - b",
  right: "a + b",
  test: 'test("adds", () => assert.equal(it(2, 3), 5));',
};
const CALL: Row = {
  id: "small/call",
  wrong: "a.nothing(b)",
  right: "a(b)",
  test: 'test("calls", () => assert.equal(it((x) => x + 1, 3), 4));',
};
const FINE: Row = {
  id: "small/fine",
  wrong: "a * b",
  right: "a * b",
  test: 'test("multiplies", () => assert.equal(it(2, 3), 6));',
};

const rowsOf = (cwd: string, batch: string) =>
  readFileSync(join(cwd, "runs", batch, "batch.jsonl"), "utf8")
    .trim()
    .split("\n")
    .slice(1)
    .map((line) => JSON.parse(line));
const ISOLATION = ["--isolation", "preferred"];

describe("swarm batch --mock", () => {
  test("walks each task of a set through a failure, a recovery and a pass, the same each time", async () => {
    const cwd = tempFolder();
    const tasks = writeSet(cwd, [SUM, CALL]);
    const flags = ["batch", "--tasks", tasks, "--mock", "--json", "--repeat", "2", "--fail-under", "1", ...ISOLATION];
    const { code, stdout, stderr } = await cli([...flags, "--batch", "b"], { cwd });
    expect(stderr).toMatch(/^batch b: 4 runs, 2 at once \(isolation: /);
    expect(stderr).toMatch(/^\[4\/4\] small\.(sum|call) #[12]: verified after 1 repair, [\d.]+ s$/m);
    expect(code).toBe(0);
    const report = JSON.parse(stdout);
    expect(report).toMatchObject({
      batchId: "b",
      runs: 4,
      settled: 4,
      passed: 4,
      outcomes: { verified: 4 },
      solvedTasks: 2,
      recovered: 4,
      notBegun: 0,
      usd: 0,
      usdPerSolvedTask: 0,
    });
    expect(report.passRate).toMatchObject({ rate: 1, high: 1 });
    expect(report.failures).toEqual([
      expect.objectContaining({ count: 2, recovered: 2, faultClass: "AssertionError", tasks: ["small.sum"] }),
      expect.objectContaining({ count: 2, recovered: 2, faultClass: "TypeError", tasks: ["small.call"] }),
    ]);
    expect(JSON.parse(readFileSync(report.reportFile, "utf8"))).toEqual(report);
    for (const { runId } of rowsOf(cwd, "b")) expect(existsSync(join(cwd, "runs", `${runId}.jsonl`))).toBe(true);

    const again = await cli([...flags, "--batch", "c"], { cwd });
    expect(JSON.parse(again.stdout).failures).toEqual(report.failures);
  });

  test("tells what came of it in words, and exits with 1 where too few passed", async () => {
    const cwd = tempFolder();
    const tasks = writeSet(cwd, [SUM, FINE]);
    const flags = ["batch", "--tasks", tasks, "--mock", "--batch", "b", ...ISOLATION];
    const { code, stdout } = await cli([...flags, "--fail-under", "0.6"], { cwd });
    expect(code).toBe(1);
    expect(stdout).toMatch(/^runs {7}2 of 2 came to a verdict$/m);
    expect(stdout).toMatch(/^passed {5}1, 50\.0% \(95% interval 9\.5% to 90\.5%\); 1 task solved$/m);
    expect(stdout).toContain("insensitive 1");
    expect(stdout).toMatch(/^AssertionError +1 +1 +1$/m);
    // all came to a verdict, so that there is nothing to do, and no rate is asked for
    const logs = readdirSync(join(cwd, "runs"));
    const resumed = await cli([...flags, "--resume"], { cwd });
    expect(resumed.code).toBe(0);
    expect(resumed.stderr).toMatch(/^batch b: 2 runs, 2 of them done before, /);
    expect(readdirSync(join(cwd, "runs"))).toEqual(logs);
  });

  test("a run of a set that a limit ended goes on by swarm resume, with the script of its task", async () => {
    const cwd = tempFolder();
    const tasks = writeSet(cwd, [CALL, SUM]);
    const flags = ["batch", "--tasks", tasks, "--mock", "--json", "--batch", "b", ...ISOLATION];
    const limited = await cli([...flags, "--max-calls", "3"], { cwd });
    expect([limited.code, JSON.parse(limited.stdout)]).toMatchObject([0, { settled: 2, outcomes: { budget: 2 } }]);
    const resumed = await cli(["resume", "b.small.sum.1", "--max-calls", "40", "--json", ...ISOLATION], { cwd });
    expect([resumed.code, JSON.parse(resumed.stdout)]).toMatchObject([0, { taskId: "small.sum", passed: true }]);
  });

  test("a signal drains, and a resume has the rest", async () => {
    const cwd = tempFolder();
    const tasks = writeSet(cwd, [SUM, CALL, { ...SUM, id: "small/more" }]);
    const argv = ["batch", "--tasks", tasks, "--mock", "--json", "--batch", "b", "--concurrency", "1", ...ISOLATION];
    const source = signals();
    const stderr = capture({}, (text) => {
      if (text.startsWith("batch b")) source.send("SIGINT");
    });
    const stdout = capture();
    const env = { PATH: process.env["PATH"] };
    const io = { stdout, stderr, env, cwd, onInterrupt: source.onInterrupt, exit: () => {} };
    expect(await runCli(argv, io)).toBe(130);
    expect(JSON.parse(stdout.text())).toMatchObject({ settled: 0, notBegun: 3 });
    expect(stderr.text()).toContain("no run begins any more: SIGINT; ");
    expect(source.count()).toBe(0);
    const { code, stdout: report } = await cli([...argv, "--resume"], { cwd });
    expect([code, JSON.parse(report).passed]).toEqual([0, 3]);
  });
});

describe("swarm batch refuses, before anything is called or written,", () => {
  test.each([
    [["--mock"], "--tasks"],
    [["--tasks", "page-windw", "--mock"], "tasks"],
    [["--tasks", "nowhere.jsonl", "--mock"], "task set"],
    [["--tasks", "bad.jsonl", "--mock"], "prompt"],
    [["--tasks", "runner.jsonl", "--mock"], "oracle.runner"],
    [["--tasks", "empty.jsonl", "--mock"], "--tasks"],
    [["--tasks", "named.jsonl", "--mock"], "id"],
    [["--tasks", "twice.jsonl", "--mock"], "--tasks"],
    [["--tasks", "page-window"], "ANTHROPIC_API_KEY"],
    [["--tasks", "page-window", "--mock", "--model", "openai:x"], "--model"],
    [["--tasks", "page-window", "--model", "openai:x", "--budget-usd", "1"], "--budget-usd"],
    [["--tasks", "page-window", "--mock", "--repeat", "0"], "--repeat"],
    [["--tasks", "page-window", "--mock", "--concurrency", "1.5"], "--concurrency"],
    [["--tasks", "page-window", "--mock", "--budget-usd", "-1"], "--budget-usd"],
    [["--tasks", "page-window", "--mock", "--rate", "mock:5"], "--rate"],
    [["--tasks", "page-window", "--mock", "--rate", "mok=5"], "--rate"],
    [["--tasks", "page-window", "--mock", "--rate", "mock=0"], "--rate"],
    [["--tasks", "page-window", "--mock", "--token-rate", "mock=1", "--token-rate", "mock=2"], "--token-rate"],
    [["--tasks", "page-window", "--mock", "--team-concurrency", "0"], "--team-concurrency"],
    [["--tasks", "page-window", "--mock", "--fail-under", "95"], "--fail-under"],
    [["--tasks", "page-window", "--mock", "--team", "swarm"], "--team"],
    [["--tasks", "page-window", "--mock", "--isolation", "full"], "--isolation"],
    [["--tasks", "page-window", "--mock", "--batch", "../b"], "--batch"],
    [["--tasks", "page-window", "--mock", "--resume"], "--resume"],
    [["--tasks", "page-window", "--mock", "--batch", "b", "--resume"], "--batch"],
  ])("%j", async (flags, field) => {
    const cwd = tempFolder();
    const good = JSON.parse(readFileSync(join(cwd, writeSet(cwd, [SUM])), "utf8"));
    writeFileSync(join(cwd, "bad.jsonl"), `${JSON.stringify(good)}\n${JSON.stringify({ ...good, prompt: "" })}\n`);
    writeFileSync(join(cwd, "runner.jsonl"), JSON.stringify({ ...good, runner: "nose" }));
    writeFileSync(join(cwd, "empty.jsonl"), "\n");
    writeFileSync(join(cwd, "named.jsonl"), JSON.stringify({ ...good, id: "日本" }));
    writeFileSync(join(cwd, "twice.jsonl"), `${JSON.stringify(good)}\n${JSON.stringify(good)}\n`);
    const before = readdirSync(cwd);
    const { code, stdout } = await cli(["batch", ...flags, "--json"], {
      cwd,
      env: { OPENAI_API_KEY: "a-key-of-no-account" },
    });
    expect(JSON.parse(stdout).error.field).toBe(field);
    expect(code).toBe(2);
    expect(readdirSync(cwd)).toEqual(before);
  });

  test("tasks that are others than when the batch was begun", async () => {
    const cwd = tempFolder();
    const set = writeSet(cwd, [SUM]);
    const flags = ["batch", "--tasks", set, "--mock", "--batch", "b", ...ISOLATION, "--json"];
    expect((await cli(flags, { cwd })).code).toBe(0);
    const row = JSON.parse(readFileSync(join(cwd, set), "utf8"));
    writeFileSync(join(cwd, set), JSON.stringify({ ...row, prompt: "another one" }));
    const { code, stdout } = await cli([...flags, "--resume"], { cwd });
    expect([code, JSON.parse(stdout).error]).toMatchObject([
      2,
      {
        code: "PLAN_MISMATCH",
        message: expect.stringMatching(/tasksSha256 was "[0-9a-f]{64}" when the batch was begun/),
      },
    ]);
  });

  test("a batch that is there, and one that was begun otherwise", async () => {
    const cwd = tempFolder();
    mkdirSync(join(cwd, "runs/b"), { recursive: true });
    const header = { schema: 1, batchId: "b", plan: { tasks: "all" }, startedAt: "" };
    writeFileSync(join(cwd, "runs/b/batch.jsonl"), `${JSON.stringify(header)}\n`);
    const flags = ["batch", "--tasks", "page-window", "--mock", "--batch", "b", ...ISOLATION];
    expect((await cli(flags, { cwd })).stderr).toBe("swarm: --batch: b is there already: go on with it by --resume\n");
    const other = await cli([...flags, "--resume", "--json"], { cwd });
    expect([other.code, JSON.parse(other.stdout).error.code]).toEqual([2, "PLAN_MISMATCH"]);
  });
});
