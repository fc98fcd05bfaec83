import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { connect, createServer } from "node:net";
import { dirname, join } from "node:path";
import { parseLog } from "@swarm/core";
import { afterEach, describe, expect, test, vi } from "vitest";
import { cli, removeTempFolders, tempFolder } from "../packages/cli/test/cli.ts";
import { killStarted, start } from "../packages/cli/test/start.ts";
import { installed } from "../packages/executors/test/installed.ts";

afterEach(() => {
  killStarted();
  removeTempFolders();
});

const MOCKED = ["--task", "page-window", "--mock", "--json", "--isolation", "preferred"];

type Up = { url: string; workers: { id: string; pid: number }[]; data: string; commands: string[] };

/** `swarm up` once all is ready. */
async function up(cwd: string, ...flags: string[]) {
  const started = start(["up", "--json", ...flags], cwd);
  const text = await started.stdoutHas("\n");
  expect(text.trim().split("\n")).toHaveLength(1);
  return { ...started, ready: JSON.parse(text) as Up };
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  const commandLine = `/proc/${pid}/cmdline`; // of one that ended, and that nobody has asked for yet, it is empty
  return !existsSync(commandLine) || readFileSync(commandLine, "utf8") !== "";
}

function logIn(cwd: string) {
  const [name = ""] = readdirSync(join(cwd, "runs")).filter((one) => one.endsWith(".jsonl"));
  return parseLog(readFileSync(join(cwd, "runs", name)));
}

describe("swarm up", () => {
  test("starts Restate and workers, which carry a run through that was killed, and leaves nothing behind", async () => {
    const cwd = tempFolder();
    const server = await installed("@restatedev/restate-server-linux-x64", "1.7.12").catch(String);
    if (process.platform !== "linux" || process.arch !== "x64" || !existsSync(server))
      return console.warn(`NO RESTATE IS STARTED HERE: ${server}`);
    mkdirSync(join(cwd, "node_modules"));
    symlinkSync(dirname(server), join(cwd, "node_modules/@restatedev"));
    const { ready, child, ended, stderrHas } = await up(cwd);
    expect(ready.workers).toHaveLength(2);
    expect(ready.commands[0]).toContain("swarm run --task page-window --mock --executor restate");
    const flags = ["--executor", "restate", "--executor-url", ready.url];

    const run = start(["run", ...MOCKED, ...flags], cwd);
    await vi.waitFor(() => expect(logIn(cwd).events.length).toBeGreaterThan(15), { timeout: 60_000 });
    run.child.kill("SIGKILL");
    await run.ended;
    process.kill(ready.workers[0]!.pid, "SIGKILL");
    await stderrHas("ended by SIGKILL; another one starts in its place");
    const { code, stdout } = await cli(["resume", "latest", ...flags, "--json"], { cwd });
    expect([code, JSON.parse(stdout).passed]).toEqual([0, true]);
    await stderrHas("takes steps");
    child.kill("SIGTERM");
    expect(await ended).toMatchObject({ code: 0, stderr: expect.stringContaining("SIGTERM: workers take no more") });
    expect(ready.workers.filter(({ pid }) => isAlive(pid))).toEqual([]);
    expect(await fetch(ready.url).catch(() => null)).toBeNull();
    expect(existsSync(join(cwd, ".swarm"))).toBe(false);
  });

  test("starts Redis and a worker, and ends while they start", async () => {
    const cwd = tempFolder();
    const { ready, child, ended } = await up(cwd, "--executor", "bullmq", "--workers", "1");
    const flags = ["--executor", "bullmq", "--executor-url", ready.url];
    const { code, stdout } = await cli(["run", ...MOCKED, ...flags], { cwd });
    expect([code, JSON.parse(stdout).passed]).toEqual([0, true]);
    child.kill("SIGINT");
    expect((await ended).code).toBe(0);
    expect(ready.workers.filter(({ pid }) => isAlive(pid))).toEqual([]);

    const other = start(["up", "--executor", "bullmq"], cwd);
    await other.stderrHas("starting Redis and workers");
    other.child.kill("SIGINT");
    expect(await other.ended).toMatchObject({ code: 0, stdout: "" });
    expect(existsSync(join(cwd, ".swarm"))).toBe(false);
  });

  test("takes its server and workers along when it is killed", async () => {
    const { ready, child } = await up(tempFolder(), "--executor", "bullmq", "--workers", "1");
    child.kill("SIGKILL");
    const [worker] = ready.workers;
    await vi.waitFor(() => expect(isAlive(worker!.pid)).toBe(false), { timeout: 60_000, interval: 100 });
    const { port, hostname } = new URL(ready.url);
    const refused = async () => {
      const socket = connect(Number(port), hostname);
      await expect(once(socket, "connect")).rejects.toMatchObject({ code: "ECONNREFUSED" });
    };
    await vi.waitFor(refused, { timeout: 60_000, interval: 100 });
  });

  test.each([
    [["--executor", "restate"], "npm install --ignore-scripts @restatedev/restate-server @restatedev/restate-sdk"],
    [["--executor", "bullmq"], "redis-server is not on the PATH; install it"],
  ])("%j says what has to be installed, and leaves nothing behind", async (flags, way) => {
    const cwd = tempFolder();
    const { code, stderr } = await cli(["up", ...flags], { cwd, env: { PATH: "/nowhere" } });
    expect([code, readdirSync(cwd)]).toEqual([2, []]);
    expect(stderr).toContain(way);
  });

  test.each([
    [["--executor", "http"], "--executor"],
    [["--workers", "0"], "--workers"],
    [["--isolation", "some"], "--isolation"],
  ])("refuses %j", async (flags, field) => {
    const { code, stderr } = await cli(["up", ...flags]);
    expect([code, stderr]).toEqual([2, expect.stringContaining(field)]);
  });

  test("refuses a port that is taken", async () => {
    const cwd = tempFolder();
    const { promise, resolve } = Promise.withResolvers<void>();
    const taken = createServer().listen(0, "127.0.0.1", resolve);
    await promise;
    const { port } = taken.address() as { port: number };
    const { code, stderr } = await cli(["up", "--executor", "bullmq", "--port", `${port}`], { cwd });
    taken.close();
    expect([code, readdirSync(cwd)]).toEqual([2, []]);
    expect(stderr).toContain(`--port: ${port} is taken`);
  });
});
