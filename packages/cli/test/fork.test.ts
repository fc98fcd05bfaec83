import { cpSync, existsSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { firstDivergence, type JsonObject, parseLog, type RunEvent } from "@swarm/core";
import { loadTask } from "@swarm/tasks";
import { afterEach, describe, expect, test } from "vitest";
import { cli, removeTempFolders, tempFolder } from "./cli.ts";
import { modelServer, type ServedAnswer } from "./model-server.ts";

afterEach(removeTempFolders);

const FLAGS = ["--json", "--isolation", "none"];

async function finishedRun() {
  const cwd = tempFolder();
  const { stdout } = await cli(["run", "--task", "page-window", "--mock", ...FLAGS], { cwd });
  const result = JSON.parse(stdout);
  return { cwd, result, events: parseLog(readFileSync(result.log)).events };
}

const failed = (events: readonly RunEvent[]) => events.findIndex(({ kind }) => kind === "failure");

describe("swarm fork", () => {
  test("goes on from an event that swarm show numbers, and counts what it does itself", async () => {
    const { cwd, result, events } = await finishedRun();
    const at = failed(events);
    const story = (await cli(["show", "latest"], { cwd })).stdout;
    expect(story).toMatch(new RegExp(`^ +${at} +attempt 1 failed: `, "m"));

    const forked = await cli(["fork", "latest", "--at", `${at}`, "--run-id", "again", "--out", "out", ...FLAGS], {
      cwd,
    });
    expect(forked.code).toBe(0);
    expect(forked.stderr).toContain(`forked     from run ${result.runId}, which it shares up to event ${at}`);
    expect(forked.stderr).toContain(
      `here the fork begins: what stands above is of run ${result.runId}, up to event ${at}`,
    );
    const fork = JSON.parse(forked.stdout);
    expect(fork).toMatchObject({ runId: "again", outcome: result.outcome, state: result.state });
    expect(fork.parent).toEqual({ runId: result.runId, at });
    expect(fork.usage.modelCalls).toBe(4);
    expect(existsSync(join(cwd, "out/src/page-window.mjs"))).toBe(true);
    expect(firstDivergence(events, parseLog(readFileSync(fork.log)).events)).toBeNull();

    const cost = (await cli(["cost", "again"], { cwd })).stdout;
    expect(cost).toMatch(/^total +4 /m);
    expect(cost).toContain("not in it, of the run that this one was forked from: 4 calls, 400 in, 80 out, $0.00");
    const again = await cli(["resume", "again", ...FLAGS], { cwd });
    expect([again.code, JSON.parse(again.stdout).state]).toEqual([0, result.state]);
  });

  test("asks another model with another effort from there on, and tells it the hint", async () => {
    const { cwd, events } = await finishedRun();
    const { mock } = await loadTask("page-window");
    const writes = Object.entries(mock!.right.files).map(([path, content]) => ({
      tool: "write_file",
      args: { path, content },
    }));
    await using server = await modelServer([writes, "Done."]);
    const coder = events.findIndex(({ stepId, key }) => stepId === "run/implement" && key === "0.0");
    const flags = ["--model", "coder=vllm:strong", "--effort", "coder=high", "--hint", "Whole numbers only."];
    const env = { VLLM_BASE_URL: server.url };
    const { code, stdout, stderr } = await cli(["fork", "latest", "--at", `${coder}`, ...flags, ...FLAGS], {
      cwd,
      env,
    });
    expect([code, stderr.match(/^coder .*$/m)?.[0]]).toEqual([0, "coder     vllm:strong       high"]);
    expect(stderr).toContain("hint       Whole numbers only.");
    const fork = JSON.parse(stdout);
    expect(fork).toMatchObject({ passed: true, repairs: 0 });
    expect(server.requests.map(({ body }) => [body["model"], body["reasoning_effort"]])).toEqual([
      ["strong", "high"],
      ["strong", "high"],
    ]);
    const messages = server.requests[0]!.body["messages"] as JsonObject[];
    expect(messages.at(-1)).toMatchObject({ role: "user" });
    expect(JSON.stringify(messages.at(-1))).toContain("Whole numbers only.");
    const { header } = parseLog(readFileSync(fork.log));
    expect(header.team.config).toMatchObject({ models: { coder: ["vllm:strong"] }, effort: { coder: "high" } });
    expect(header.parent?.team.config).toMatchObject({ models: { coder: ["mock:page-window"] }, effort: {} });
  });

  const FINISH = [{ tool: "finish", args: { explanation: "Built.", plan: "Wrote it.", entryPoint: "fizzbuzz.py" } }];
  test.each<[string, string, string, ServedAnswer]>([
    ["codeswarm", "run/implement", "coder", "Done."],
    ["self-healing", "run/close", "reviewer", "All is well."],
    ["dev-team", "run/fix", "coder", FINISH],
    ["coder", "run/work", "coder", FINISH],
  ])(
    "of a run of %s goes on in %s, with another model and a hint",
    async (team, step, role, answer) => {
      const cwd = tempFolder();
      const words = "write fizzbuzz.py with tests and run them";
      const whole = await cli(["run", words, "--team", team, "--mock", ...FLAGS], { cwd });
      const { events } = parseLog(readFileSync(JSON.parse(whole.stdout).log));
      const last = events.findLastIndex(({ payload }) => payload.type === "begin" && payload.call.op === "model");
      expect(events[last]).toMatchObject({ stepId: step, agent: role });
      await using server = await modelServer([answer]);
      const flags = ["--model", `${role}=vllm:strong`, "--hint", "Mind zero."];
      const { code, stdout } = await cli(["fork", "latest", "--at", `${last}`, ...flags, ...FLAGS], {
        cwd,
        env: { VLLM_BASE_URL: server.url },
      });
      expect([code, JSON.parse(stdout)]).toMatchObject([0, { outcome: "passed", usage: { modelCalls: 1 } }]);
      expect(server.requests).toHaveLength(1);
      expect(JSON.stringify(server.requests[0]!.body["messages"])).toContain("Mind zero.");
      const replayed = await cli(["replay", JSON.parse(stdout).runId, "--isolation", "none"], { cwd });
      expect(replayed.code).toBe(0);
    },
    300_000,
  );

  test("refuses what cannot be, says what could, and leaves nothing behind", async () => {
    const { cwd, result, events } = await finishedRun();
    const last = events.findIndex(({ kind, key }) => kind === "verdict" && key !== null) - 1;
    const refused = async (...flags: string[]) => {
      const { code, stdout } = await cli(["fork", "latest", "--run-id", "no", ...flags, ...FLAGS], { cwd });
      expect([code, existsSync(join(cwd, "runs/no.jsonl"))]).toEqual([2, false]);
      const { code: name, field, message } = JSON.parse(stdout).error;
      return [name, field, message];
    };
    const usage = (field: string, message: string) => ["USAGE", field, expect.stringContaining(message)];
    const nearest = `the nearest is ${last}, the last one before the verdict`;
    expect(await refused()).toEqual(
      usage("--at", "is missing: the number of an event; `swarm show latest` tells them"),
    );
    expect(await refused("--at", "two")).toEqual(usage("--at", "has to be the number of an event, and is two"));
    expect(await refused("--at", `${last + 1}`)).toEqual(usage("--at", nearest));
    expect(await refused("--at", "-1")).toEqual(usage("--at", "and is -1; the nearest is 0, the first one"));
    expect(await refused("--at", "3", "--hint", " ")).toEqual(usage("--hint", "a text that says something"));
    expect(await refused("--at", "3", "--effort", "codre=high")).toEqual(usage("--effort", "did you mean coder?"));
    expect(await refused("--at", "3", "--effort", "much")).toEqual(usage("--effort", "[role=]low|medium|high"));
    expect(await refused("--at", "3", "--model", "openai:x")).toEqual([
      "MISSING_KEY",
      "OPENAI_API_KEY",
      expect.stringContaining("planner, coder, tester, reviewer"),
    ]);
    expect(await refused("--at", "3", "--workspace", "app")).toEqual([
      "INVALID_INPUT",
      "workspace",
      expect.stringContaining("the run was started without one"),
    ]);
    expect((await cli(["fork", "latest", "--at", "3", "--run-id", "../x", ...FLAGS], { cwd })).stdout).toContain(
      "--run-id",
    );
    const alone = join(cwd, "alone", basename(result.log));
    cpSync(result.log, alone);
    expect(await refused("--at", "3", "--runs", dirname(alone))).toEqual([
      "INVALID_INPUT",
      "--runs",
      expect.stringMatching(/alone\/objects does not hold the files of run .* beside the folder `objects`/),
    ]);
    const taken = await cli(["fork", "latest", "--at", "3", "--run-id", result.runId, ...FLAGS], { cwd });
    expect([taken.code, JSON.parse(taken.stdout).error.code]).toEqual([2, "LOG_EXISTS"]);
  });
});
