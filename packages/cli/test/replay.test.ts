import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileLogStore, runTask } from "@swarm/core";
import { conformanceTask, conformanceTeam } from "@swarm/core/testing";
import { loadTask } from "@swarm/tasks";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { cli, removeTempFolders, rewriteLog, tempFolder } from "./cli.ts";

let recorded: string;
let runId: string;
const folders: string[] = [];

beforeAll(async () => {
  recorded = tempFolder();
  const { stdout } = await cli(["run", "--task", "page-window", "--mock", "--json", "--isolation", "none"], {
    cwd: recorded,
  });
  ({ runId } = JSON.parse(stdout));
}, 120_000);
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});
afterAll(removeTempFolders);

/** The folder of a run of its own, with its log changed. */
function copy(change: (text: string) => string = (text) => text): { cwd: string; log: string } {
  const cwd = tempFolder();
  folders.push(cwd);
  cpSync(join(recorded, "runs"), join(cwd, "runs"), { recursive: true });
  const log = join(cwd, "runs", `${runId}.jsonl`);
  rewriteLog(log, change);
  return { cwd, log };
}
const replay = (cwd: string, ...more: string[]) => cli(["replay", "latest", "--isolation", "none", ...more], { cwd });

describe("swarm replay", () => {
  test("of a run that comes out as it did says so, and leaves nothing behind", async () => {
    const { cwd, log } = copy();
    const before = [readFileSync(log, "utf8"), readdirSync(join(cwd, "runs/objects"))];
    const { code, stdout } = await replay(cwd);
    expect(code).toBe(0);
    expect(stdout).toMatch(new RegExp(`^run ${runId} of task page-window: \\d+ events\nno divergence\n$`));
    expect([readFileSync(log, "utf8"), readdirSync(join(cwd, "runs/objects"))]).toEqual(before);
    expect(readdirSync(cwd)).toEqual(["runs"]);
  });

  test("shows the first output of a tool that is another one, as a diff", async () => {
    const changed = copy((text) => text.replace(/("ok":true,"output":")[^"]{5}/, "$1other"));
    const { code, stdout } = await replay(changed.cwd);
    expect(code).toBe(1);
    expect(stdout).toMatch(/^DIVERGED: the tool read_file gave another output, or left other files$/m);
    expect(stdout).toMatch(/^at run\/implement 0\.\d+, event \d+ of the log$/m);
    expect(stdout).toMatch(/^payload\.value\.output\n- other.*\n\+ /m);
    const json = JSON.parse((await replay(changed.cwd, "--json")).stdout);
    expect(json).toMatchObject({ runId, divergence: { cause: { kind: "tool-output", tool: "read_file" } }, files: [] });
  });

  test("names the part of the task that was changed, in the log or since", async () => {
    const forged = copy((text) => text.replace('"prompt":"', '"prompt":"Please: '));
    expect((await replay(forged.cwd)).stdout).toMatch(/^DIVERGED: the task is another one than the log's: prompt$/m);

    const { cwd } = copy();
    const { task } = await loadTask("page-window");
    const { source, ...rest } = task;
    const starter = "files" in source ? source.files : {};
    const file = JSON.stringify({
      ...rest,
      starter,
      testFiles: { ...rest.testFiles, "tests/page-window.test.mjs": "" },
    });
    writeFileSync(join(cwd, "changed.json"), file);
    const { code, stdout } = await replay(cwd, "--task", "changed.json");
    expect(code).toBe(1);
    expect(stdout).toContain("the task is another one than the log's: testFiles.tests/page-window.test.mjs");
    expect((await replay(cwd, "--task", "page-window")).code).toBe(0);
  });

  test("of a log that was cut short goes as far as it does", async () => {
    const { cwd } = copy((text) => text.split("\n").slice(0, 20).join("\n"));
    const { code, stdout } = await replay(cwd);
    expect([code, stdout]).toEqual([0, expect.stringContaining("no divergence, as far as the log goes")]);
  });

  test("refuses a run whose files are gone, one of another team, and a flag that is none", async () => {
    const { cwd } = copy();
    rmSync(join(cwd, "runs/objects"), { recursive: true });
    expect(await replay(cwd)).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^swarm: --runs: .*does not hold the files/),
    });
    await runTask(conformanceTask, { team: conformanceTeam(), store: fileLogStore(join(cwd, "runs")), runId: "other" });
    const other = await cli(["replay", "other", "--json"], { cwd });
    expect([other.code, JSON.parse(other.stdout).error.code]).toEqual([2, "TEAM_MISMATCH"]);
    expect((await replay(cwd, "--isolaton", "none")).stderr).toContain("did you mean --isolation");
  });
});

describe("swarm show --pack", () => {
  test("makes one file that replays where there is nothing else, without what is a secret", async () => {
    const { cwd } = copy();
    const packed = await cli(["show", runId, "--pack"], { cwd });
    expect([packed.code, packed.stdout]).toEqual([0, `${runId}.pack.jsonl.gz\n`]);
    const elsewhere = tempFolder();
    folders.push(elsewhere);
    cpSync(join(cwd, `${runId}.pack.jsonl.gz`), join(elsewhere, "bug.pack.jsonl.gz"));
    const { code, stdout } = await cli(["replay", "bug.pack.jsonl.gz", "--isolation", "none"], { cwd: elsewhere });
    expect([code, stdout]).toEqual([0, expect.stringContaining("no divergence\n")]);

    // a value that the starter file holds is taken for a key: what rests on it differs, and that is said
    const env = { OPENAI_API_KEY: "pageWindow({ total, size, page })" };
    const out = join(elsewhere, "redacted.pack.jsonl.gz");
    expect((await cli(["show", runId, "--pack", "--out", out], { cwd, env })).code).toBe(0);
    const redacted = await cli(["replay", out, "--isolation", "none"], { cwd: elsewhere });
    expect(redacted.stdout).toMatch(/^secrets were taken out of \d+ files? of the pack/m);
  });

  test("refuses to write over a file, a pack that is damaged, and what does not go together", async () => {
    const { cwd } = copy();
    const refused = async (...args: string[]) => {
      const { code, stderr } = await cli(args, { cwd });
      expect(code).toBe(2);
      return stderr;
    };
    writeFileSync(join(cwd, "there.gz"), "x");
    expect(await refused("show", "latest", "--pack", "--out", "there.gz")).toMatch(/--out: .*is there already/);
    expect(await refused("replay", "there.gz")).toMatch(/there\.gz is no pack/);
    expect(await refused("replay", "gone.gz")).toMatch(/there is no pack/);
    expect(await refused("show", "latest", "--out", "x")).toMatch(/--out: goes with --pack only/);
    expect(await refused("show", "latest", "--pack", "--patch")).toMatch(/exclude each other/);
    await cli(["show", "latest", "--pack", "--out", "cut.gz"], { cwd });
    writeFileSync(join(cwd, "cut.gz"), readFileSync(join(cwd, "cut.gz")).subarray(0, 2000));
    expect(await refused("replay", "cut.gz")).toMatch(/cut\.gz: the pack cannot be opened/);
  });
});
