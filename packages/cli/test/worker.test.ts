import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { runCli } from "../src/index.ts";
import { capture, cli, removeTempFolders, signals, tempFolder } from "./cli.ts";

afterEach(removeTempFolders);

/** A worker in this process, once it is ready, and how it is told to end. */
async function worker(cwd: string, ...flags: string[]) {
  const ready = Promise.withResolvers<Record<string, unknown>>();
  const stdout = capture({}, (text) => ready.resolve(JSON.parse(text)));
  const stderr = capture();
  const interrupts = signals();
  const ended = runCli(["worker", "--json", "--listen", "127.0.0.1:0", "--isolation", "preferred", ...flags], {
    stdout,
    stderr,
    env: { PATH: process.env["PATH"] },
    cwd,
    onInterrupt: interrupts.onInterrupt,
    exit: () => {},
  });
  const failed = ended.then((code): Record<string, unknown> => ({ code, stderr: stderr.text() }));
  const abilities = await Promise.race([ready.promise, failed]);
  return { abilities, ended, stderr, stop: () => interrupts.send("SIGTERM") };
}

describe("swarm worker", () => {
  test("performs the steps of a batch, says what it can run, and ends at a signal", async () => {
    const cwd = tempFolder();
    const { abilities, ended, stderr, stop } = await worker(cwd, "--concurrency", "2");
    expect(abilities).toMatchObject({
      teams: expect.arrayContaining([expect.objectContaining({ name: "codeswarm" })]),
      runners: expect.arrayContaining(["node:test"]),
      languages: expect.arrayContaining(["javascript"]),
      tier: expect.any(String),
      concurrency: 2,
    });
    const limits = ["--rate", "mock=6000", "--token-rate", "mock=9000000", "--team-concurrency", "1"];
    const flags = [
      "--tasks",
      "linked-list",
      "--mock",
      "--isolation",
      "preferred",
      "--batch",
      "far",
      "--json",
      ...limits,
    ];
    const { code, stdout } = await cli(
      ["batch", ...flags, "--executor", "http", "--executor-url", String(abilities["url"])],
      { cwd },
    );
    expect([code, JSON.parse(stdout).passed]).toEqual([0, 1]);
    const log = readFileSync(join(cwd, "runs", "far.linked-list.1.jsonl"), "utf8");
    expect(log).toContain(`"worker":"${String(abilities["id"])}"`);
    stop();
    expect(await ended).toBe(0);
    expect(stderr.text()).toContain("SIGTERM: takes no more steps; 0 under way");
  });

  test.each([
    [["--by", "pigeon"], "--by"],
    [["--listen", "here"], "--listen"],
    [["--concurrency", "0"], "--concurrency"],
  ])("refuses %j", async (flags, field) => {
    const { code, stderr } = await cli(["worker", ...flags]);
    expect(code).toBe(2);
    expect(stderr).toContain(field);
  });

  test("listens for others only with a token", async () => {
    const { code, stderr } = await cli(["worker", "--listen", "0.0.0.0:0", "--isolation", "none"]);
    expect(code).toBe(2);
    expect(stderr).toContain("SWARM_WORKER_TOKEN: is missing");
  });

  test("and tells a run that brings another one by which variable both have it", async () => {
    const cwd = tempFolder();
    writeFileSync(join(cwd, ".env"), "SWARM_WORKER_TOKEN=a token that is long enough\n");
    const { abilities, ended, stop } = await worker(cwd);
    const flags = ["--task", "page-window", "--mock", "--isolation", "none", "--executor", "http"];
    const { code, stderr } = await cli(["run", ...flags, "--executor-url", String(abilities["url"])]);
    expect([code, stderr]).toEqual([1, expect.stringContaining("SWARM_WORKER_TOKEN")]);
    stop();
    expect(await ended).toBe(0);
  });
});

test.each([
  [["--executor", "pigeon"], "--executor"],
  [["--executor-url", "http://127.0.0.1:1"], "--executor-url"],
  [["--executor", "http", "--executor-url", "nothing"], "--executor-url"],
  [["--executor", "bullmq", "--executor-url", "redis://a", "--executor-url", "redis://b"], "--executor-url"],
])("swarm batch refuses %j", async (flags, field) => {
  const { code, stderr } = await cli(["batch", "--tasks", "linked-list", "--mock", "--isolation", "none", ...flags]);
  expect(code).toBe(2);
  expect(stderr).toContain(field);
});
