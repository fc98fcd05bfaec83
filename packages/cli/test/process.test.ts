import { spawn, spawnSync } from "node:child_process";
import { closeSync, existsSync, openSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseLog } from "@swarm/core";
import { afterEach, describe, expect, test, vi } from "vitest";
import { cli, removeTempFolders, tempFolder } from "./cli.ts";
import { type Ended, killStarted, MAIN, start } from "./start.ts";

afterEach(() => {
  killStarted();
  removeTempFolders();
});

/** The command with an empty file in the place of bubblewrap; null where there is no bubblewrap to hide it with. */
async function startWithoutBubblewrap(args: string[], cwd: string): Promise<Ended | null> {
  const hidden = ["--dev-bind", "/", "/", "--ro-bind", "/dev/null", "/usr/bin/bwrap", "--chdir", cwd, "--"];
  const command = [process.execPath, "--conditions=@swarm/source", MAIN, ...args];
  const child = spawn("bwrap", [...hidden, ...command], { env: { PATH: process.env["PATH"] } });
  const seen = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const) child[name].on("data", (text) => (seen[name] += text));
  const { promise, resolve } = Promise.withResolvers<Ended | null>();
  child.once("error", () => resolve(null));
  child.once("close", (code, signal) => resolve({ code, signal, ...seen }));
  return await promise;
}

describe("the process", () => {
  test("refuses to run without the isolation that is required, and says what would help", async () => {
    const cwd = tempFolder();
    const args = ["run", "--task", "page-window", "--mock", "--json", "--isolation", "required"];
    const ended = await startWithoutBubblewrap(args, cwd);
    if (!ended) {
      console.warn("BUBBLEWRAP IS NOT HERE: what its absence does where it is required is not tested");
      return;
    }
    expect(ended.code).toBe(2);
    const { error } = JSON.parse(ended.stdout);
    expect(error).toMatchObject({ code: "SANDBOX_FAILED", field: null });
    expect(error.message).toMatch(/Install the package bubblewrap, .*--isolation none/);
    expect(readdirSync(cwd)).toEqual([]);
  });

  test("with --json has the object on stdout and nothing else, and progress on stderr without codes", async () => {
    const { code, stdout, stderr } = await start(["run", "--task", "page-window", "--mock", "--json"]).ended;
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ taskId: "page-window", passed: true });
    expect(stderr).toContain("[4] verify");
    expect(stderr).not.toContain("\u001b");
  });

  test("refuses with 2, in one line without a stack", async () => {
    const { code, stdout, stderr } = await start(["run", "--task", "nothing", "--json"]).ended;
    expect(code).toBe(2);
    expect(JSON.parse(stdout).error.code).toBe("INVALID_INPUT");
    expect(stderr.trim().split("\n")).toHaveLength(1);
  });

  test("reads a configuration file in TypeScript", async () => {
    const cwd = tempFolder();
    writeFileSync(
      join(cwd, "swarm.config.ts"),
      "const calls: number = 11;\nexport default { coderMaxIterations: calls };\n",
    );
    const { code, stderr } = await start(["run", "--task", "page-window", "--mock"], cwd).ended;
    expect(code).toBe(2);
    expect(stderr).toBe(
      "swarm: coderMaxIterations: has to be a whole number from 1 to 10, and is 11 (swarm.config.ts)\n",
    );
    expect(readdirSync(cwd)).toEqual(["swarm.config.ts"]);
  });

  test("ends although a configuration file left a timer", async () => {
    const cwd = tempFolder();
    writeFileSync(join(cwd, "swarm.config.mjs"), "setInterval(() => {}, 1000);\nexport default {};\n");
    const { code, stdout } = await start(["run", "--task", "page-window", "--mock", "--json"], cwd).ended;
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ passed: true });
  });

  test.each([
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ] as const)(
    "%s during a test run ends the run with its log complete, and exits with %i",
    async (signal, expected) => {
      const cwd = tempFolder();
      const { child, stderrHas, ended } = start(["run", "--task", "word-wrap", "--mock", "--json"], cwd);
      await stderrHas("coder [3/10]"); // now the tests run into the wrong delivery's endless loop
      child.kill(signal);
      child.kill(signal); // as from a parent that hands it on: still one signal
      const { code, stdout } = await ended;
      expect(code).toBe(expected);
      expect(JSON.parse(stdout)).toMatchObject({ outcome: "aborted", reasons: [`interrupted by ${signal}`] });
      const [log] = readdirSync(join(cwd, "runs")).filter((name) => name.endsWith(".jsonl"));
      const { events } = parseLog(readFileSync(join(cwd, "runs", log!)));
      expect(events.at(-1)?.payload).toMatchObject({ type: "verdict", verdict: { outcome: "aborted" } });
      expect(readdirSync(join(cwd, "runs")).filter((name) => name.endsWith(".lock"))).toEqual([]);
      const { views } = JSON.parse(stdout);
      expect(JSON.parse(readFileSync(views.cost, "utf8"))).toMatchObject({ outcome: "aborted", total: { calls: 4 } });
      expect(readFileSync(views.log, "utf8")).toContain('"event":"run_aborted"');
    },
  );

  test.each([
    ["codeswarm", "coder [1/10]"],
    ["self-healing", "developer [1/10]"],
    ["dev-team", "qa [1]"],
    ["coder", "coder [3/10]"],
  ])(
    "SIGINT in the middle of a run of %s leaves what resume brings to its end",
    async (team, middle) => {
      const cwd = tempFolder();
      const flags = ["--json", "--isolation", "none"];
      const words = "write fizzbuzz.py with tests and run them";
      const { child, stderrHas, ended } = start(["run", words, "--team", team, "--mock", ...flags], cwd);
      await stderrHas(middle);
      child.kill("SIGINT");
      const { code, stdout } = await ended;
      expect([code, JSON.parse(stdout)]).toMatchObject([
        130,
        { outcome: "aborted", reasons: ["interrupted by SIGINT"] },
      ]);
      const resumed = await cli(["resume", "latest", ...flags], { cwd });
      expect([resumed.code, JSON.parse(resumed.stdout)]).toMatchObject([0, { outcome: "passed" }]);
    },
    300_000,
  );

  test.runIf(existsSync("/dev/full"))("says in one line that stdout cannot be written, and exits with 1", async () => {
    const cwd = tempFolder();
    await cli(["run", "--task", "page-window", "--mock"], { cwd });
    for (const args of [["show", "latest", "--patch"], ["show", "latest"], ["tasks", "--json"], ["--help"]]) {
      const full = openSync("/dev/full", "w");
      const { code, stderr } = await start(args, cwd, { stdout: full }).ended;
      closeSync(full);
      expect([args, code, stderr]).toEqual([
        args,
        1,
        "swarm: stdout could not be written: ENOSPC: no space left on device, write\n",
      ]);
    }
  });

  test("a run whose log finds the disk full keeps what it had, and resume ends it as if nothing had been", async () => {
    const cwd = tempFolder();
    const flags = ["--json", "--isolation", "none"];
    const command = [process.execPath, "--conditions=@swarm/source", MAIN, "run", "--task", "page-window", "--mock"];
    const full = 'ulimit -f 40; exec "$@"'; // no file beyond 20 kB
    const options = { cwd, env: { PATH: process.env["PATH"] }, encoding: "utf8" } as const;
    const { status, stdout } = spawnSync("sh", ["-c", full, "sh", ...command, ...flags], options);
    expect([status, JSON.parse(stdout)]).toMatchObject([1, { error: { code: "LOG_WRITE_FAILED" } }]);
    const names = readdirSync(join(cwd, "runs")).filter((name) => name.includes(".jsonl"));
    expect(names).toHaveLength(1); // and no lock
    const kept = parseLog(readFileSync(join(cwd, "runs", names[0]!)));
    expect(kept.torn).toBe(false);

    const resumed = await cli(["resume", "latest", ...flags], { cwd });
    expect([resumed.code, JSON.parse(resumed.stdout).passed]).toEqual([0, true]);
    const { events } = parseLog(readFileSync(join(cwd, "runs", names[0]!)));
    expect(events.slice(0, kept.events.length)).toEqual(kept.events);
  });

  test("a reader of stdout that goes away is no error", async () => {
    const { child, ended } = start(["tasks"]);
    child.stdout?.destroy();
    const { code, stderr } = await ended;
    expect([code, stderr]).toEqual([0, ""]);
  });

  test("a batch that is killed goes on: what was finished stays as it is, what was cut off ends, the rest begins", async () => {
    const cwd = tempFolder();
    const argv = ["batch", "--tasks", "{page-window,linked-list,split-bill}", "--mock", "--batch", "b"];
    const flags = [...argv, "--concurrency", "1", "--isolation", "preferred", "--json"];
    const { child, stderrHas, ended } = start(flags, cwd);
    const log = (task: string) => readFileSync(join(cwd, "runs", `b.${task}.1.jsonl`), "utf8");
    await stderrHas("[1/3] page-window");
    await vi.waitFor(() => expect(log("linked-list").split("\n").length).toBeGreaterThan(20), { timeout: 60_000 });
    child.kill("SIGKILL");
    expect((await ended).signal).toBe("SIGKILL");
    const [finished, cut] = [log("page-window"), log("linked-list")];

    const { code, stdout } = await cli([...flags, "--resume"], { cwd });
    expect([code, JSON.parse(stdout)]).toMatchObject([0, { settled: 3, passed: 3, recovered: 3 }]);
    expect(log("page-window")).toBe(finished);
    expect(log("linked-list").startsWith(cut.slice(0, cut.lastIndexOf("\n")))).toBe(true);
    const rows = readFileSync(join(cwd, "runs/b/batch.jsonl"), "utf8").trim().split("\n").slice(1);
    expect(rows.map((row) => JSON.parse(row).taskId)).toEqual(["page-window", "linked-list", "split-bill"]);
  });

  test("a second signal cuts the runs of a batch off, with their logs complete", async () => {
    const cwd = tempFolder();
    const { child, stderrHas, ended } = start(
      ["batch", "--tasks", "word-wrap", "--mock", "--batch", "b", "--isolation", "preferred", "--json"],
      cwd,
    );
    const log = join(cwd, "runs/b.word-wrap.1.jsonl");
    await stderrHas("batch b: 1 run");
    await vi.waitFor(() => expect(readFileSync(log, "utf8")).toContain("implement"), { timeout: 60_000 });
    child.kill("SIGINT");
    await stderrHas("no run begins any more");
    await new Promise((resolve) => setTimeout(resolve, 300)); // longer than one signal may take to come twice
    child.kill("SIGINT");
    const { code, stdout } = await ended;
    expect([code, JSON.parse(stdout)]).toMatchObject([130, { settled: 0, unsettled: { aborted: 1 } }]);
    const { events } = parseLog(readFileSync(log));
    expect(events.at(-1)?.payload).toMatchObject({ type: "verdict", verdict: { outcome: "aborted" } });
  });
});
