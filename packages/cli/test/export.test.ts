import { execFile, execFileSync } from "node:child_process";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { fileLogStore, runTask, writeLine } from "@swarm/core";
import { conformanceTask, conformanceTeam } from "@swarm/core/testing";
import { type DataCard, FORMATS } from "@swarm/corpus";
import { localSandbox } from "@swarm/sandbox";
import { afterEach, describe, expect, test } from "vitest";
import { COMMANDS } from "../src/index.ts";
import { cli, removeTempFolders, tempFolder } from "./cli.ts";

afterEach(removeTempFolders);

const MOCK_RUN = ["run", "--task", "page-window", "--mock", "--json"];
const linesOf = (text: string) => text.split("\n").filter(Boolean);
const logOf = (cwd: string, runId: string) => join(cwd, "runs", `${runId}.jsonl`);

/** A folder with conformance runs of these names; one that begins with `broken` does not pass. */
async function folderWithRuns(...ids: string[]): Promise<string> {
  const cwd = tempFolder();
  const objects = localSandbox({ store: join(cwd, "runs/objects"), isolation: "none" });
  for (const runId of ids) {
    const team = conformanceTeam({ broken: runId.startsWith("broken") });
    const sandbox = { ...team.defaults.sandbox(), blobs: objects.blobs };
    await runTask(conformanceTask, { team, sandbox, store: fileLogStore(join(cwd, "runs")), runId });
  }
  return cwd;
}

describe("swarm export", () => {
  test("names the formats that there are", () => {
    const flag = COMMANDS.export.flags.find(({ name }) => name === "format");
    expect(flag?.value).toBe(FORMATS.map(({ name }) => name).join("|"));
  });

  test("writes rows to stdout, and what they are of to stderr", async () => {
    const cwd = await folderWithRuns("r1", "broken1");
    const { code, stdout, stderr } = await cli(["export", "--format", "sft"], { cwd });
    expect([code, stderr]).toEqual([0, "stdout: 5 rows of 1 runs, 1 run filtered out\n"]);
    const rows = linesOf(stdout).map((line) => JSON.parse(line));
    expect(rows.map(({ metadata }) => metadata.run_id)).toEqual(Array.from({ length: 5 }, () => "r1"));
  });

  test("writes a file that is whole, and a card", async () => {
    const cwd = await folderWithRuns("r1", "r2", "broken1");
    const argv = ["export", "--format", "sft", "--out", "rows.jsonl", "--card", "card.md", "--json"];
    const { code, stdout } = await cli([...argv, "--outcome", "verified", "--outcome", "failed"], { cwd });
    expect(code).toBe(0);
    const card: DataCard = JSON.parse(stdout);
    expect(card).toMatchObject({ logs: 3, runs: 3, outcomes: { verified: 2, failed: 1 }, tasks: 1, problems: 0 });
    const rows = readFileSync(join(cwd, "rows.jsonl"), "utf8");
    expect([linesOf(rows).length, rows.length]).toEqual([card.rows, card.bytes]);
    expect(card.duplicates).toBeGreaterThan(0);
    const text = readFileSync(join(cwd, "card.md"), "utf8");
    expect(text).toContain(`| rows | ${card.rows} |`);
    expect(text).toContain("CheckFailed\\|write\\|main.txt\\|main");
    expect(readdirSync(cwd).sort()).toEqual(["card.md", "rows.jsonl", "runs"]);
  });

  test("gives equal rows again when they are asked for", async () => {
    const cwd = await folderWithRuns("r1", "r2");
    const rows = async (...flags: string[]) =>
      linesOf((await cli(["export", "--format", "sft", ...flags], { cwd })).stdout).length;
    expect(await rows("--keep-duplicates")).toBe(2 * (await rows()));
  });

  test.each([
    [["--outcome", "failed"], ["broken1"]],
    [["--signature", "CheckFailed|write"], ["broken1"]],
    [["--signature", "else"], []],
    [
      ["--team", "conformance@1"],
      ["broken1", "r1"],
    ],
    [["--team", "conformance@2"], []],
    [
      ["--model", "scripted:*"],
      ["broken1", "r1"],
    ],
    [
      ["--task", "conf*"],
      ["broken1", "r1"],
    ],
    [["--task", "other"], []],
    [["--outcome", "unfinished"], ["cut"]],
  ])("%j takes %j", async (flags, runs) => {
    const cwd = await folderWithRuns("r1", "broken1");
    const lines = readFileSync(logOf(cwd, "r1"), "utf8").split("\n");
    const [header = "", ...events] = lines.slice(0, 20);
    const { crc32: _, ...fields } = JSON.parse(header);
    writeFileSync(logOf(cwd, "cut"), [writeLine({ ...fields, runId: "cut" }), ...events, ""].join("\n"));
    const all = ["export", "--format", "sft", "--out", "rows", "--json"];
    const card = JSON.parse((await cli([...all, ...flags], { cwd })).stdout);
    expect(card.runs).toBe(flags[0] === "--outcome" ? runs.length : runs.filter((id) => id !== "broken1").length);
  });

  test("takes runs by name, and folders", async () => {
    const cwd = await folderWithRuns("r1", "r2");
    mkdirSync(join(cwd, "empty"));
    const run = (...argv: string[]) => cli(["export", "--format", "sft", "--keep-duplicates", ...argv], { cwd });
    expect((await run("r2")).stderr).toBe("stdout: 5 rows of 1 runs\n");
    expect((await run("r1", "latest", "runs")).stderr).toBe("stdout: 10 rows of 2 runs\n");
    expect((await run("empty")).stderr).toBe("stdout: 0 rows of 0 runs\n");
  });

  test("names a damaged log, leaves it out as a whole, and is not done", async () => {
    const cwd = await folderWithRuns("r1", "r2");
    const lines = readFileSync(logOf(cwd, "r1"), "utf8").split("\n");
    lines[30] = lines[30]!.replace("write", "wrote");
    writeFileSync(logOf(cwd, "r1"), lines.join("\n"));
    const { code, stdout, stderr } = await cli(["export", "--format", "sft"], { cwd });
    expect(code).toBe(1);
    expect(stderr).toMatch(/^swarm: not exported: .*r1\.jsonl: line 31 .*damaged/);
    expect(new Set(linesOf(stdout).map((line) => JSON.parse(line).metadata.run_id))).toEqual(new Set(["r2"]));
  });

  test("reads nothing outside of the store, whatever a log names", async () => {
    const cwd = await folderWithRuns("r1");
    writeFileSync(join(cwd, "outside.txt"), JSON.stringify({ system: "outside", tools: [], maxTokens: 1 }));
    const [header = "", ...events] = linesOf(readFileSync(logOf(cwd, "r1"), "utf8"));
    const forged = events.map((line) => {
      const { crc32: _, ...event } = JSON.parse(line);
      if (event.payload.call?.settings) event.payload.call.settings = "../../../outside.txt";
      return writeLine(event);
    });
    writeFileSync(logOf(cwd, "r1"), `${[header, ...forged].join("\n")}\n`);
    const { code, stdout, stderr } = await cli(["export", "--format", "sft"], { cwd });
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toContain("blob");
  });

  test.each(FORMATS.map(({ name }) => name))("%s holds no secret, though a log does", async (format) => {
    const cwd = tempFolder();
    await cli(MOCK_RUN, { cwd });
    const [file = ""] = readdirSync(join(cwd, "runs")).filter((name) => name.endsWith(".jsonl"));
    const [runId = ""] = file.split(".jsonl");
    const secrets = [
      `sk-${"a1".repeat(12)}`,
      `AIza${"b2".repeat(18).slice(0, 35)}`,
      "AKIAABCDEFGHIJKLMNOP",
      "registered-value-of-no-shape",
      "0123456789abcdef0123",
    ];
    const [key, google, aws, registered, header] = secrets;
    const dump = `api_key=${key}\nx-api-key: ${header}\nGET /v1?key=${google}\nAWS=${aws}\nOTHER=${registered}\nASIAPACIFIC`;
    const leak = (value: unknown): unknown => {
      if (typeof value === "string") return value.length > 40 && value.includes(" ") ? `${value}\n${dump}` : value;
      if (Array.isArray(value)) return value.map(leak);
      if (value === null || typeof value !== "object") return value;
      return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, leak(one)]));
    };
    const lines = linesOf(readFileSync(logOf(cwd, runId), "utf8")).map((line) => {
      const { crc32: _, ...value } = JSON.parse(line);
      return writeLine(leak(value) as Parameters<typeof writeLine>[0]);
    });
    writeFileSync(logOf(cwd, runId), `${lines.join("\n")}\n`);
    const env = { OPENAI_API_KEY: registered };
    const { code, stdout, stderr } = await cli(["export", "--format", format, "--card", "card.md"], { cwd, env });
    expect(code).toBe(0);
    const given = stdout + stderr + readFileSync(join(cwd, "card.md"), "utf8");
    for (const secret of secrets) expect(given).not.toContain(secret);
    if (format !== "swe-bench") expect(stdout).toContain("ASIAPACIFIC");
  });

  test.each([
    [[], "--format: is missing: trajectories, sft, preference"],
    [["--format", "trajectorys"], '--format: "trajectorys" is no format; did you mean trajectories?'],
    [["--format", "sft", "--outcome", "good"], "--outcome: has to be one of verified, passed"],
    [["--format", "sft", "--json"], "--json: needs --out"],
    [["--format", "sft"], "--runs: there is no folder "],
    [["--format", "sft", "nothing"], "run: there is no run in "],
    [["--format", "sft", "--out", "no/rows"], "--out: there is no folder "],
  ])("refuses %j", async (argv, message) => {
    const { code, stdout, stderr } = await cli(["export", ...argv]);
    expect([code, argv.includes("--json") ? "" : stdout]).toEqual([2, ""]);
    expect(stderr).toContain(`swarm: ${message}`);
  });

  test.each(["--out", "--card"])("replaces no log by %s, and no journal of a batch", async (flag) => {
    const cwd = await folderWithRuns("r1");
    const journal = join(cwd, "batch.jsonl");
    writeFileSync(journal, '{"schema":1,"batchId":"b","plan":{},"startedAt":"2030-01-01T00:00:00.000Z"}\n');
    for (const file of [logOf(cwd, "r1"), journal]) {
      const before = readFileSync(file, "utf8");
      const { code, stderr } = await cli(["export", "--format", "sft", flag, file], { cwd });
      expect([code, stderr]).toEqual([2, expect.stringContaining(`${flag}: ${file} is a log`)]);
      expect(readFileSync(file, "utf8")).toBe(before);
    }
  });

  test("gives rows and card a file each", async () => {
    const cwd = await folderWithRuns("r1");
    const { code, stderr } = await cli(["export", "--format", "sft", "--out", "same", "--card", "./same"], { cwd });
    expect([code, stderr]).toEqual([2, expect.stringContaining("--card: is the file of --out")]);
    expect(existsSync(join(cwd, "same"))).toBe(false);
  });

  test("writes through a link, and leaves it where it is", async () => {
    const cwd = await folderWithRuns("r1");
    writeFileSync(join(cwd, "rows"), "");
    symlinkSync("rows", join(cwd, "link"));
    expect((await cli(["export", "--format", "sft", "--out", "link"], { cwd })).code).toBe(0);
    expect(lstatSync(join(cwd, "link")).isSymbolicLink()).toBe(true);
    expect(readFileSync(join(cwd, "rows"), "utf8")).not.toBe("");
  });

  test("writes to a pipe, and leaves it where it is", async () => {
    const cwd = await folderWithRuns("r1");
    const pipe = join(cwd, "pipe");
    execFileSync("mkfifo", [pipe]);
    const read = promisify(execFile)("cat", [pipe]);
    const { code, stdout } = await cli(["export", "--format", "sft", "--out", "pipe"], { cwd });
    expect([code, stdout]).toEqual([0, ""]);
    expect((await read).stdout).toBe((await cli(["export", "--format", "sft"], { cwd })).stdout);
    expect(statSync(pipe).isFIFO()).toBe(true);
  });

  test("leaves no half-written file where it fails", async () => {
    const cwd = await folderWithRuns("r1");
    mkdirSync(join(cwd, "taken"));
    const { code } = await cli(["export", "--format", "sft", "--out", "taken"], { cwd });
    expect([code, readdirSync(join(cwd, "taken"))]).toEqual([2, []]);
  });
});
