import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { firstDivergence, parseLog } from "@swarm/core";
import { afterEach, describe, expect, test, vi } from "vitest";
import { cli, removeTempFolders, tempFolder } from "../packages/cli/test/cli.ts";
import { killStarted, start } from "../packages/cli/test/start.ts";
import { s3Server } from "../packages/executors/test/s3-server.ts";
import { freePort } from "../packages/executors/test/worker-pool.ts";

let stopServer = async () => {};
afterEach(async () => {
  await stopServer(); // once the test's runs were replayed
  stopServer = async () => {};
  vi.unstubAllEnvs();
  killStarted();
  removeTempFolders();
});

const MOCKED = ["--task", "page-window", "--mock", "--json", "--isolation", "preferred"];

function logIn(cwd: string) {
  const [name = ""] = readdirSync(join(cwd, "runs")).filter((one) => one.endsWith(".jsonl"));
  return parseLog(readFileSync(join(cwd, "runs", name)));
}

describe("steps elsewhere", () => {
  test("run in processes of their own", async () => {
    const there = tempFolder();
    const argv = ["run", ...MOCKED, "--team", "coder", "--executor", "process"];
    const { code, stdout } = await start(argv, there).ended;
    expect([code, JSON.parse(stdout).passed]).toEqual([0, true]);
    const here = tempFolder();
    expect((await start(["run", ...MOCKED, "--team", "coder"], here).ended).code).toBe(0);
    const [local, other] = [logIn(here), logIn(there)];
    expect(other.events.some(({ payload }) => payload.measured?.["worker"] !== undefined)).toBe(true);
    expect(firstDivergence(local.events, other.events)).toBeNull(); // what is recalled too, from a file of the run's
  });

  test("work on files that travel by a bucket, with credentials of the environment", async () => {
    const server = await s3Server(join(tempFolder(), "s3"));
    if (typeof server !== "string") stopServer = server.stop;
    if (typeof server === "string") return console.warn(`NO STEPS OVER S3 ARE TRIED HERE: ${server}`);
    const env = { AWS_ACCESS_KEY_ID: "S3RVER", AWS_SECRET_ACCESS_KEY: "S3RVER" };
    for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
    const { hostname, port, protocol } = await server.client.config.endpoint!();
    const endpoint = `${protocol}//${hostname}:${port}`;
    const shared = ["--shared", `s3://${server.bucket}/swarm`, "--s3-endpoint", endpoint, "--s3-region", "us-east-1"];
    const [here, there] = [tempFolder(), tempFolder()];
    const argv = ["worker", "--json", "--isolation", "preferred", "--listen", "127.0.0.1:0", ...shared];
    const { url } = JSON.parse(await start(argv, there, { env }).stdoutHas("\n}\n"));
    const flags = ["--executor", "http", "--executor-url", url, "--gate", `127.0.0.1:${await freePort()}`];
    const { code, stdout } = await cli(["run", ...MOCKED, ...shared, ...flags], { cwd: here });
    expect([code, JSON.parse(stdout).passed]).toEqual([0, true]);
  });
});

describe("what is not there", () => {
  test("is named with its address, within seconds, and nothing is left behind", async () => {
    const port = await freePort();
    const flags = ["--tasks", "page-window", "--mock", "--isolation", "none"];
    const missing = await Promise.all(
      [
        ["run", ...MOCKED, "--executor", "restate", "--executor-url", `http://127.0.0.1:${port}`],
        ["run", ...MOCKED, "--executor", "bullmq", "--executor-url", `redis://:secret@127.0.0.1:${port}`],
        ["run", ...MOCKED, "--executor", "http", "--executor-url", `http://127.0.0.1:${port}`],
        ["batch", ...flags, "--executor", "restate", "--executor-url", `http://127.0.0.1:${port}`],
        ["worker", "--by", "bullmq", "--redis", `redis://127.0.0.1:${port}`, "--isolation", "none"],
      ].map(async (argv) => {
        const cwd = tempFolder();
        const { code, stderr } = await cli(argv, { cwd });
        expect([code, readdirSync(cwd)]).toEqual([1, argv[0] === "worker" ? ["runs"] : []]); // it tried the test runners
        return stderr.trim().split("\n").at(-1)!;
      }),
    );
    const [restate, redis] = [
      `swarm: Restate cannot be reached at http://127.0.0.1:${port}`,
      "swarm: there is no Redis",
    ];
    const starts = [restate, `${redis} at 127.0.0.1:${port}`, "swarm: no worker answers", restate, redis];
    expect(missing.map((stderr, nth) => stderr.startsWith(starts[nth]!) || stderr)).toEqual(starts.map(() => true));
    expect(missing.join()).not.toContain("secret");
  });

  test("is told before a run that is to go on is touched", async () => {
    const cwd = tempFolder();
    await cli(["run", ...MOCKED, "--max-calls", "2"], { cwd });
    const log = logIn(cwd);
    const elsewhere = ["--executor", "http", "--executor-url", `http://127.0.0.1:${await freePort()}`];
    for (const argv of [
      ["resume", "latest"],
      ["fork", log.header.runId, "--at", "3"],
    ]) {
      const { code, stderr } = await cli([...argv, ...elsewhere], { cwd });
      expect([code, stderr.includes("no worker answers")]).toEqual([1, true]);
    }
    expect(logIn(cwd)).toEqual(log);
  });

  test("is not looked for where a run that is over gives its verdict again", async () => {
    const cwd = tempFolder();
    await cli(["run", ...MOCKED], { cwd });
    const { code } = await cli(["resume", "latest", "--executor", "http"], { cwd });
    expect(code).toBe(0);
  });

  test.each([
    [["--executor", "proces"], "--executor"],
    [["--gate", "127.0.0.1:1"], "--gate"],
    [["--executor", "http", "--gate", "here"], "--gate"],
    [["--executor", "http", "--gate-url", "here"], "--gate-url"],
    [["--shared", "s3://"], "--shared"],
    [["--s3-endpoint", "http://127.0.0.1:1"], "--s3-endpoint"],
    [["--shared", "s3://bucket", "--s3-endpoint", "here"], "--s3-endpoint"],
  ])("swarm run refuses %j", async (flags, field) => {
    const cwd = tempFolder();
    const { code, stderr } = await cli(["run", ...MOCKED, ...flags], { cwd });
    expect([code, readdirSync(cwd)]).toEqual([2, []]);
    expect(stderr).toContain(`swarm: ${field}: `);
  });

  test("names the variable of the environment that is wrong", async () => {
    const gate = await cli(["run", ...MOCKED, "--executor", "http"], { env: { SWARM_GATE: "here" } });
    expect([gate.code, gate.stderr]).toEqual([2, expect.stringContaining("swarm: SWARM_GATE: ")]);
    const argv = ["worker", "--listen", "127.0.0.1:0", "--isolation", "none"];
    const short = await cli(argv, { env: { SWARM_WORKER_TOKEN: "short" } });
    expect([short.code, short.stderr]).toEqual([2, expect.stringContaining("swarm: SWARM_WORKER_TOKEN: is shorter")]);
  });
});
