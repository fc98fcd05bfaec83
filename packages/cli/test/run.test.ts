import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { loadTask } from "@swarm/tasks";
import { afterEach, describe, expect, test } from "vitest";
import { cli, removeTempFolders, tempFolder, writeTaskFile } from "./cli.ts";

afterEach(removeTempFolders);

/** A task whose scripted model delivers something wrong for ever. */
async function unsolved(folder: string): Promise<string> {
  const path = join(folder, "unsolved.json");
  await writeTaskFile(path, (mock) => ({ id: "unsolved", mock: { ...mock, right: mock.wrong } }));
  return path;
}

describe("swarm run --mock", () => {
  test.each(["duration-format", "page-window"])(
    "solves %s, and hands over files, patch, verdict and log",
    async (id) => {
      const cwd = tempFolder();
      const { code, stdout, stderr } = await cli(["run", "--task", id, "--mock", "--json", "--out", "solved"], { cwd });
      expect(stderr).toContain(`task       ${id}: `);
      expect(stderr).toMatch(/coder \[3\/10\]/);
      expect(stderr).toContain("attempt 2 of 4");
      expect(stderr).toMatch(/^log {4}runs\/.*\.jsonl$/m);
      expect(code).toBe(0);
      const result = JSON.parse(stdout);
      expect(result).toMatchObject({
        taskId: id,
        passed: true,
        repairs: 1,
        failureSignature: null,
        state: { label: "final" },
        usage: { usd: 0, modelCalls: 8 },
        out: join(cwd, "solved"),
      });
      expect(readdirSync(join(cwd, "runs")).sort()).toEqual([result.runId, `${result.runId}.jsonl`, "objects"]);
      const { views: _, out: __, problems, ...inFile } = result;
      expect(problems).toEqual([]);
      expect(JSON.parse(readFileSync(result.views.verdict, "utf8"))).toEqual(inFile);

      // the patch makes of the starter what --out holds
      const { task } = await loadTask(id);
      const files = { ...("files" in task.source ? task.source.files : {}), ...task.testFiles };
      for (const [path, text] of Object.entries(files)) {
        mkdirSync(join(cwd, "again", path, ".."), { recursive: true });
        writeFileSync(join(cwd, "again", path), text as string);
      }
      execFileSync("git", ["apply", result.views.patch], { cwd: join(cwd, "again") });
      expect(treeOf(join(cwd, "again"))).toEqual(treeOf(join(cwd, "solved")));
    },
  );

  test("a run that does not pass exits with 1, and hands over the best state, named as such", async () => {
    const cwd = tempFolder();
    const task = await unsolved(cwd);
    const { code, stdout, stderr } = await cli(["run", "--task", task, "--mock", "--json", "--out", "best"], { cwd });
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({ passed: false, outcome: "failed", state: { label: "best" } });
    expect(JSON.parse(stdout).failureSignature).toMatch(/\|implement\|/);
    expect(stderr).toContain("NOT PASSED (failed)");
    expect(stderr).toContain("best (the best state that its tests saw, which is no solution)");
    expect(existsSync(join(cwd, "best/src/page-window.mjs"))).toBe(true);
  });

  test("a limit ends the run with its outcome", async () => {
    const { code, stdout } = await cli(["run", "--task", "page-window", "--mock", "--json", "--max-calls", "2"]);
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({ outcome: "budget", usage: { modelCalls: 2 } });
  });

  test("tells its result though nothing of it can be written, and then what could not be", async () => {
    const cwd = tempFolder();
    const { code, stdout, stderr } = await cli(["run", "--task", "page-window", "--mock", "--json", "--out", "out"], {
      cwd,
      onStderr(text) {
        const [, runId] = /^run (\S+)\n/.exec(text) ?? [];
        if (runId) for (const path of [`runs/${runId}`, "out"]) writeFileSync(join(cwd, path), "in the way");
      },
    });
    expect(code).toBe(1);
    const { runId, problems, ...result } = JSON.parse(stdout);
    expect(result).toMatchObject({ passed: true, log: join(cwd, "runs", `${runId}.jsonl`), out: null });
    expect(result.views).toEqual({ patch: null, verdict: null, cost: null, log: null });
    expect(problems).toEqual([
      expect.stringMatching(/^the verdict .*verdict\.json could not be written: EEXIST/),
      expect.stringMatching(/^the patch .*patch\.diff could not be written: EEXIST/),
      expect.stringMatching(/^--out: .*out could not be written: EEXIST/),
      expect.stringMatching(/^the structured log .*log\.jsonl could not be written: EEXIST/),
    ]);
    expect(stderr).toMatch(/^(VERIFIED|PASSED): /m);
    expect(stderr).toMatch(new RegExp(`^log {4}runs/${runId}\\.jsonl$`, "m"));
    expect(stderr.trimEnd().split("\n").slice(-4)).toEqual(problems.map((problem: string) => `swarm: ${problem}`));
  });

  test("prints nothing on stdout without --json, and no codes where there is no terminal", async () => {
    const { code, stdout, stderr } = await cli(["run", "--task", "page-window", "--mock", "--isolation", "none"]);
    expect(code).toBe(0);
    expect(stdout).toBe("");
    expect(stderr).not.toContain("\u001b");
    expect(stderr).toMatch(/isolation {2}plain processes only: .* install bubblewrap/);
  });
});

describe("swarm run refuses, before anything is called or written,", () => {
  const delivery = { files: { "a.py": "" }, says: "done" };
  const mock = { plan: { title: "t", instructions: "i" }, wrong: delivery, hint: "h", right: delivery };
  const tests = { testFiles: { "tests/test_a.py": "" }, oracle: { runner: "pytest" } };
  const given = { id: "t", prompt: "p", starter: { "a.py": "" }, ...tests, mock };
  test.each([
    ["a file that leaves the workspace", { ...given, starter: { "../a.py": "" } }, "starter"],
    ["an unknown runner", { ...given, oracle: { runner: "nose" } }, "oracle.runner"],
    ["a folder of tests that is missing", { ...given, testFiles: "no-such-folder" }, "testFiles"],
    [
      "a test file that is not among the tests",
      { ...given, oracle: { runner: "pytest", entries: ["x"] } },
      "oracle.entries[0]",
    ],
    ["a field of the wrong type", { ...given, prompt: 7 }, "prompt"],
    ["an unknown field", { ...given, promt: "p" }, "promt"],
    ["a missing folder", { ...given, starter: undefined, source: { directory: "nowhere" } }, "source.directory"],
    ["a missing revision", { ...given, starter: undefined, source: { repository: ".", revision: "x" } }, "source"],
    ["a task without a script", { ...given, mock: undefined }, "mock"],
  ])("%s", async (_, task, field) => {
    const cwd = tempFolder();
    writeFileSync(join(cwd, "task.json"), JSON.stringify(task));
    const { code, stdout, stderr } = await cli(["run", "--task", "task.json", "--mock", "--json"], { cwd });
    const { error } = JSON.parse(stdout);
    expect(error.field).toContain(field);
    expect(error.code).toBe("INVALID_INPUT");
    expect(stderr).toBe(`swarm: ${error.message}\n`);
    expect(code).toBe(2);
    expect(readdirSync(cwd)).toEqual(["task.json"]);
  });

  test.each([
    [["--mock"], "<task>"],
    [["page-windw", "--mock"], "task"],
    [["page-window", "--task", "page-window", "--mock"], "--task"],
    [["Build a clock", "--mock"], "--mock"],
    [[" "], "<task>"],
    [["--task", "no-such-task", "--mock"], "task"],
    [["--task", "page-window"], "ANTHROPIC_API_KEY"],
    [["--task", "page-window", "--model", "openai:x"], "OPENAI_API_KEY"],
    [["--task", "page-window", "--mock", "--model", "openai:x"], "--model"],
    [["--task", "page-window", "--mock", "--isolation", "full"], "--isolation"],
    [["--task", "page-window", "--mock", "--max-calls", "1.5"], "--max-calls"],
    [["--task", "page-window", "--mock", "--max-tokens", "0"], "--max-tokens"],
    [["--task", "page-window", "--mock", "--max-usd", "-1"], "--max-usd"],
    [["--task", "page-window", "--mock", "--timeout", "1m"], "--timeout"],
    [["--task", "page-window", "--mock", "--log", "xml"], "--log"],
  ])("%j", async (flags, field) => {
    const cwd = tempFolder();
    const { code, stdout } = await cli(["run", ...flags, "--json"], { cwd });
    expect(JSON.parse(stdout).error.field).toBe(field);
    expect(code).toBe(2);
    expect(readdirSync(cwd)).toEqual([]);
  });

  const long = "long".repeat(100);
  test.each([
    ["--out", "file/new", "is no folder"],
    ["--out", "nowhere/new", "is no folder"],
    ["--out", `new/${long}`, "ENAMETOOLONG"],
    ["--runs", "file", "is no folder"],
    ["--runs", "file/new", "is no folder"],
    ["--runs", "nowhere", "is no folder"],
    ["--runs", long, "ENAMETOOLONG"],
    ["--runs", "used", "used/objects is no folder"],
    ...(existsSync("/proc/self") ? [["--out", "/proc/x/y", "/proc refuses it"]] : []),
    ...(existsSync("/proc/self") ? [["--runs", "/proc/x", "/proc refuses it"]] : []),
  ] as [string, string, string][])("%s %s, which cannot be written to", async (flag, folder, problem) => {
    const cwd = tempFolder();
    mkdirSync(join(cwd, "used"));
    for (const path of ["file", "used/objects"]) writeFileSync(join(cwd, path), "precious");
    symlinkSync("no-such-place", join(cwd, "nowhere"));
    const { code, stdout } = await cli(["run", "--task", "page-window", "--mock", "--json", flag, folder], { cwd });
    const { error } = JSON.parse(stdout);
    expect([code, error.field]).toEqual([2, flag]);
    expect(error.message).toContain(problem);
    expect(readdirSync(cwd, { recursive: true }).sort()).toEqual(["file", "nowhere", "used", "used/objects"]);
  });

  test("an --out that has content, or is a file", async () => {
    const cwd = tempFolder();
    mkdirSync(join(cwd, "full"));
    writeFileSync(join(cwd, "full/mine"), "precious");
    for (const [out, problem] of [
      ["full", "has content"],
      ["full/mine", "is no folder"],
    ] as const) {
      const { code, stderr } = await cli(["run", "--task", "page-window", "--mock", "--out", out], { cwd });
      expect(stderr).toMatch(new RegExp(`^swarm: --out: .*${problem}`));
      expect(code).toBe(2);
    }
    expect(readdirSync(cwd)).toEqual(["full"]);
  });
});

function treeOf(folder: string): Record<string, string> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = files.map((file) => join(file.parentPath, file.name)).sort();
  return Object.fromEntries(paths.map((path) => [path.slice(folder.length), readFileSync(path, "utf8")]));
}
