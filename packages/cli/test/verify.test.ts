import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parseLog, writeLine } from "@swarm/core";
import { localSandbox } from "@swarm/sandbox";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { cli, removeTempFolders, tempFolder } from "./cli.ts";

/** What right work is: where the network cannot be cut off, one check is not made. */
const RIGHT_OUTCOME = localSandbox({ store: "unused" }).tier === "bubblewrap" ? "verified" : "passed";

function write(folder: string, files: Record<string, string>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
}

async function verified(cwd: string, ...argv: string[]) {
  const { code, stdout, stderr } = await cli(["verify", ...argv, "--json"], { cwd });
  return { code, stderr, ...JSON.parse(stdout) };
}

describe("a run that has ended", () => {
  let cwd: string;
  let runId: string;
  const log = () => join(cwd, "runs", `${runId}.jsonl`);
  const objects = () => readdirSync(join(cwd, "runs"), { recursive: true }).length;

  beforeAll(async () => {
    cwd = tempFolder();
    const { stdout } = await cli(["run", "--task", "page-window", "--mock", "--json"], { cwd });
    runId = JSON.parse(stdout).runId;
  }, 60_000);
  afterAll(removeTempFolders);

  test("gets the same verdict again from its log, and nothing is written", async () => {
    const before = objects();
    const { code, stdout, stderr } = await cli(["verify", "--log", "latest"], { cwd });
    expect([code, stderr.replaceAll(/^… .*\n/gm, "")]).toEqual([0, ""]);
    expect(stdout).toContain(`run ${runId} of task page-window\n${RIGHT_OUTCOME.toUpperCase()}`);
    expect(stdout).toContain("the same as the log says");
    expect(objects()).toBe(before);
  });

  test("did work that is accepted as a patch and as a folder, with the same evidence", async () => {
    await cli(["show", runId, "--files", "out"], { cwd });
    const patched = await verified(cwd, "--task", "page-window", "--patch", `runs/${runId}/patch.diff`);
    const folder = await verified(cwd, "--task", "page-window", "--directory", "out");
    expect(patched).toMatchObject({ code: 0, taskId: "page-window", outcome: RIGHT_OUTCOME, tampering: [] });
    expect(patched.evidence.checks.made).toContain("hidden-tests");
    expect([folder.code, folder.evidence.sha256]).toEqual([0, patched.evidence.sha256]);
  });

  test("whose log says something else is told apart, and is not held", async () => {
    const { header, events } = parseLog(readFileSync(log()));
    const text = [header, ...events].map((event) =>
      `${writeLine(event)}\n`.replaceAll(/"testsPassed":\d+/g, '"testsPassed":99'),
    );
    const lines = text.map((one) => `${writeLine(withoutChecksum(one))}\n`);
    writeFileSync(join(cwd, "runs", "forged.jsonl"), lines.join(""));
    const forged = await verified(cwd, "--log", "forged");
    expect(forged).toMatchObject({ code: 1, outcome: RIGHT_OUTCOME, recorded: { signals: { testsPassed: 99 } } });
    expect(forged.differences).toEqual([expect.stringMatching(/^signals\.testsPassed: 99 then, \d+ now$/)]);
  });

  test("cannot be judged without its files", async () => {
    const { code, stderr } = await cli(["verify", "--log", log(), "--runs", tempFolder()], { cwd });
    expect([code, stderr]).toEqual([2, expect.stringMatching(/^swarm: --runs: .*does not hold the files of run/)]);
  });
});

function withoutChecksum(text: string) {
  const { crc32: _, ...line } = JSON.parse(text);
  return line;
}

describe("work in a git repository", () => {
  let cwd: string;
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...args], { cwd, encoding: "utf8" });
  const commit = (tag: string, files: Record<string, string>, parent = "base") => {
    if (tag !== "base") git("checkout", "-q", parent);
    write(cwd, files);
    git("add", "-A");
    git("commit", "-qm", tag);
    git("tag", tag);
  };
  const TESTS = `import assert from "node:assert/strict";
import { test } from "node:test";
import { add } from "../add.mjs";
test("adds", () => assert.equal(add(1, 2), 3));
`;
  const JUDGED = ["--base", "base", "--runner", "node:test", "--tests-from", "asked", "--tests", "test"];

  beforeAll(() => {
    cwd = tempFolder();
    git("init", "-q");
    commit("base", { "add.mjs": "export const add = () => 0;\n" });
    commit("asked", { "test/add.test.mjs": TESTS });
    commit("right", { "add.mjs": "export const add = (a, b) => a + b;\n" });
    commit("wrong", { "add.mjs": "export const add = (a, b) => a - b;\n" });
    commit("cheat", { "test/add.test.mjs": 'import { test } from "node:test";\ntest("adds", () => {});\n' });
    const patch = git("diff", "base", "right");
    write(cwd, { "right.diff": patch, "stale.diff": patch.replace("() => 0", "() => 1") });
  });
  afterAll(removeTempFolders);

  test("is accepted as a commit and as a patch", async () => {
    const commit = await verified(cwd, ...JUDGED, "--commit", "right");
    expect(commit).toMatchObject({ code: 0, outcome: RIGHT_OUTCOME, signals: { testsPassed: 1, testsFailed: 0 } });
    expect(commit.evidence.checks.made).toContain("history");
    const patch = await verified(cwd, ...JUDGED, "--patch", "right.diff");
    expect([patch.code, patch.evidence.sha256]).toEqual([0, commit.evidence.sha256]);
  });

  test.each([
    ["wrong", "failed"],
    ["cheat", "tampered"],
  ])("is not accepted where it is %s", async (revision, outcome) => {
    expect(await verified(cwd, ...JUDGED, "--commit", revision)).toMatchObject({ code: 1, outcome });
  });

  test("is judged by a command that reports in a standard form", async () => {
    const command = ["--command", "node --test --test-reporter=tap {entry}", "--format", "tap"];
    const tests = ["--base", "base", "--tests-from", "asked", "--tests", "test/add.test.mjs"];
    const right = await verified(cwd, ...command, ...tests, "--commit", "right");
    expect(right).toMatchObject({ code: 0, outcome: "passed" });
    expect(right.reasons).toContainEqual(expect.stringMatching(/^report-channel: not made/));
    expect(await verified(cwd, ...command, ...tests, "--commit", "wrong")).toMatchObject({
      code: 1,
      outcome: "failed",
    });
  });

  test("whose tests pass without it says where tests that fail may be", async () => {
    const base = ["--base", "right", "--runner", "node:test", "--tests-from", "asked", "--tests", "test/add.test.mjs"];
    const { code, stdout } = await cli(["verify", ...base, "--commit", "right"], { cwd });
    expect([code, stdout]).toEqual([1, expect.stringContaining("insensitive")]);
    expect(stdout).toContain("--tests-from");
  });

  test("is refused as a patch that does not apply", async () => {
    const refused = await verified(cwd, ...JUDGED, "--patch", "stale.diff");
    expect(refused).toMatchObject({ code: 2, error: { code: "PATCH_DOES_NOT_APPLY", field: "--patch" } });
    expect(refused.error.message).toContain("patch failed: add.mjs:1");
  });

  test.each([
    [["--commit", "nowhere"], /^swarm: --commit: .*has no revision "nowhere"/],
    [["--directory", "nowhere"], /^swarm: --directory: there is no folder/],
    [["--patch", "nowhere"], /^swarm: --patch: .*cannot be read \(ENOENT/],
  ])("is refused where it is not there: %j", async (candidate, message) => {
    const { code, stderr } = await cli(["verify", ...JUDGED, ...candidate], { cwd });
    expect([code, stderr]).toEqual([2, expect.stringMatching(message)]);
  });

  test.each([
    [["--base", "nowhere", "--tests-from", "asked"], "--base"],
    [["--base", "base", "--tests-from", "nowhere"], "--tests-from"],
    [["--base", "base", "--repository", "nowhere"], "--repository"],
  ])("is refused where what it is judged by is not there: %j", async (place, flag) => {
    const { code, stderr } = await cli(["verify", ...place, "--runner", "node:test", "--commit", "right"], { cwd });
    expect([code, stderr]).toEqual([2, expect.stringContaining(`swarm: ${flag}: `)]);
  });

  test("is refused where there are no such tests", async () => {
    const nowhere = ["--base", "base", "--runner", "node:test", "--tests", "spec", "--commit", "right"];
    const { code, stderr } = await cli(["verify", ...nowhere], { cwd });
    expect([code, stderr]).toEqual([2, expect.stringMatching(/^swarm: --tests: there is no spec in revision base/)]);
  });
});

describe("flags that say too little, or nothing together, are refused", () => {
  afterEach(removeTempFolders);

  test.each([
    [[], "--task: is missing"],
    [["--task", "page-window"], "--directory, --patch, --commit: give one of them"],
    [["--task", "page-window", "--patch", "a", "--commit", "b"], "--patch and --commit at once"],
    [["--task", "page-window", "--base", "main", "--patch", "a"], "--base: does not go with --task"],
    [["--log", "latest", "--patch", "a"], "--patch: does not go with --log"],
    [["--base", "main", "--patch", "a"], "--runner, --command: give one of them"],
    [["--base", "main", "--command", "x", "--patch", "a"], "--tests: is missing"],
    [["--base", "main", "--command", "x", "--tests", "t", "--patch", "a"], "--command, --format: give both"],
    [["--task", "page-windw", "--directory", "."], "did you mean page-window?"],
    [["--base", "main", "--runner", "pytst", "--directory", "."], "did you mean pytest?"],
    [["--task", "page-window", "--directory", ".", "--timeout", "0"], "--timeout: has to be a number above 0"],
    [["--task", "page-window", "--directory", ".", "--isolation", "some"], "--isolation: has to be one of"],
    [["--log", "latest"], "there is no run"],
  ])("%j", async (argv, message) => {
    const cwd = tempFolder();
    const { code, stdout, stderr } = await cli(["verify", ...argv], { cwd });
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toContain(message);
    rmSync(cwd, { recursive: true });
  });
});
