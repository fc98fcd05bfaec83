import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { thisProcess } from "@swarm/core";
import { loadTask } from "@swarm/tasks";
import { afterEach, describe, expect, test } from "vitest";
import { cli, removeTempFolders, tempFolder } from "./cli.ts";

afterEach(removeTempFolders);

const MOCK = ["--mock", "--json", "--isolation", "none"];
const run = (cwd: string, task: string, ...more: string[]) =>
  cli(["run", "--task", task, "--workspace", "app", ...MOCK, ...more], { cwd });

function write(folder: string, files: Record<string, string>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(folder, path, ".."), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
}

/** A file that the script of a built-in task delivers. */
async function delivered(id: string): Promise<[path: string, content: string]> {
  const { mock } = await loadTask(id);
  const [path = "", content = ""] = Object.entries(mock!.right.files)[0] ?? [];
  return [path, content as string];
}

describe("swarm run --workspace", () => {
  test("works for a folder that stays: the next task builds on what this one made", { timeout: 120_000 }, async () => {
    const cwd = tempFolder();
    write(join(cwd, "app"), { "mine.txt": "kept", ".git/HEAD": "ref", "node_modules/m.js": "1" });
    const first = await run(cwd, "page-window");
    expect(JSON.parse(first.stdout)).toMatchObject({ passed: true, workspace: { written: true, problem: null } });
    expect(first.code).toBe(0);
    expect(first.stderr).toMatch(/^workspace {2}app$/m);
    const [path, content] = await delivered("page-window");
    expect(readFileSync(join(cwd, "app", path), "utf8")).toBe(content);

    const second = await run(cwd, "duration-format");
    expect(JSON.parse(second.stdout)).toMatchObject({ passed: true, workspace: { written: true } });
    expect(readFileSync(join(cwd, "app", path), "utf8")).toBe(content);
    expect(existsSync(join(cwd, "app", (await delivered("duration-format"))[0]))).toBe(true);
    expect(readFileSync(join(cwd, "app/mine.txt"), "utf8")).toBe("kept");
    expect(readdirSync(join(cwd, "app"))).toEqual(expect.arrayContaining([".git", "node_modules"]));
    expect(readdirSync(join(cwd, "app"))).not.toContain(".swarm");

    const again = await run(cwd, "page-window");
    expect(JSON.parse(again.stdout)).toMatchObject({ outcome: "insensitive", workspace: { written: false } });
    expect(again.stderr).toMatch(/^workspace {2}app \(left as it was\)$/m);
  });

  test("leaves the folder as it was when the run does not pass", async () => {
    const cwd = tempFolder();
    write(join(cwd, "app"), { "mine.txt": "kept" });
    const { code, stdout } = await run(cwd, "page-window", "--max-calls", "2");
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({ outcome: "budget", workspace: { written: false, problem: null } });
    expect(readdirSync(join(cwd, "app"))).toEqual(["mine.txt"]);
  });

  test("says that what somebody changed meanwhile is in the way, and exits with 1", async () => {
    const cwd = tempFolder();
    const [path] = await delivered("page-window");
    write(join(cwd, "app"), { "mine.txt": "kept" });
    const { code, stdout, stderr } = await cli(["run", "--task", "page-window", "--workspace", "app", ...MOCK], {
      cwd,
      onStderr(text) {
        if (text.includes("coder [1/10]")) write(join(cwd, "app"), { [path]: "theirs" });
      },
    });
    expect(code).toBe(1);
    const { passed, workspace, problems } = JSON.parse(stdout);
    expect([passed, workspace.written]).toEqual([true, false]);
    expect(problems).toEqual([expect.stringContaining("/app could not be written: changed by somebody else")]);
    expect(stderr).toContain("the workspace is left as it was");
    expect(readFileSync(join(cwd, "app", path), "utf8")).toBe("theirs");
  });

  test("refuses a busy folder with 2, and names its holder", { timeout: 120_000 }, async () => {
    const cwd = tempFolder();
    const main = join(import.meta.dirname, "../src/main.ts");
    const args = ["--conditions=@swarm/source", main, "run", "--task", "page-window", "--workspace", "app", ...MOCK];
    const holder = spawn(process.execPath, args, { cwd, stdio: "ignore" });
    const ended = once(holder, "exit");
    await expect.poll(() => existsSync(join(cwd, "app/.swarm/lock")), { timeout: 60_000, interval: 5 }).toBe(true);
    holder.kill("SIGSTOP");
    const { code, stdout, stderr } = await run(cwd, "page-window");
    expect(code).toBe(2);
    const { error } = JSON.parse(stdout);
    expect(error.code).toBe("WORKSPACE_BUSY");
    expect(stderr).toBe(`swarm: ${error.message}\n`);
    expect(error.message).toMatch(/^workspace busy: process (\d+) on .* has held .*app since \d{4}-\d\d-\d\dT/);
    expect(error.message).toContain(`process ${holder.pid} on ${hostname()}`);

    holder.kill("SIGKILL");
    await ended;
    const next = await run(cwd, "page-window");
    expect(next.code).toBe(0);
    expect(next.stderr).toContain(`the workspace is taken over from process ${holder.pid}, which died`);
    expect(readdirSync(join(cwd, "app"))).not.toContain(".swarm");
  });

  test("refuses a folder that holds the logs, unless they are no part of it", { timeout: 60_000 }, async () => {
    const cwd = tempFolder();
    const here = (...runs: string[]) =>
      cli(["run", "--task", "page-window", "--workspace", ".", ...MOCK, ...runs], { cwd });
    const refused = await here();
    expect(refused.code).toBe(2);
    expect(JSON.parse(refused.stdout).error).toMatchObject({
      field: "--workspace",
      message: expect.stringContaining(`--runs ${join(cwd, ".swarm", "runs")}`),
    });
    expect(readdirSync(cwd)).toEqual([]);
    expect((await here("--runs", ".swarm/runs")).code).toBe(0);
    expect(readdirSync(join(cwd, ".swarm"))).toEqual(["runs"]);
  });

  test.each([
    ["a file", "file", "--workspace"],
    ["what holds a file that no snapshot can", "odd", "workspace"],
    ["what another container holds", "elsewhere", null],
  ])("refuses %s, and leaves nothing behind", async (_, folder, field) => {
    const cwd = tempFolder();
    const lock = { ...thisProcess(), pid: 1, where: "another-host pid:[1]" };
    write(cwd, { file: "", "odd/a\\b": "", "elsewhere/.swarm/lock": JSON.stringify(lock) });
    const { code, stdout } = await cli(["run", "--task", "page-window", "--workspace", folder, ...MOCK], { cwd });
    expect(code).toBe(2);
    expect(JSON.parse(stdout).error.field).toBe(field);
    if (field === null) expect(JSON.parse(stdout).error.message).toContain("process 1 on another-host");
    expect(readdirSync(cwd).sort()).toEqual(["elsewhere", "file", "odd"]);
    expect(readdirSync(join(cwd, "odd"))).toEqual(["a\\b"]);
  });
});
