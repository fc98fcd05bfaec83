import { readFileSync, writeFileSync } from "node:fs";
import { parseLog } from "@swarm/core";
import { afterEach, describe, expect, test } from "vitest";
import { TEAM_NAMES } from "../src/teams/names.ts";
import { rolesOf, TEAMS } from "../src/teams/teams.ts";
import { cli, removeTempFolders, tempFolder } from "./cli.ts";

afterEach(removeTempFolders);

const MOCK = ["--task", "page-window", "--mock"];
const FLAGS = ["--json", "--isolation", "none"];

/** What a refused command says. */
async function refusal(argv: readonly string[], env: Record<string, string> = {}) {
  const { code, stdout } = await cli([...argv, "--json"], { env });
  expect(code).toBe(2);
  return JSON.parse(stdout).error as { code: string; field: string; message: string };
}

describe.each(TEAM_NAMES)("--team %s", (team) => {
  test("runs a task, and its run is resumed, forked and replayed by the same team", async () => {
    const cwd = tempFolder();
    const ran = await cli(["run", ...MOCK, "--team", team, ...FLAGS], { cwd });
    const { passed, log, state, repairs } = JSON.parse(ran.stdout);
    expect([ran.code, passed]).toEqual([0, true]);
    expect(ran.stderr).toMatch(new RegExp(`^team {7}${team} \\d+$`, "m"));
    const replayed = await cli(["replay", "latest", "--isolation", "none"], { cwd });
    expect([replayed.code, replayed.stdout]).toEqual([0, expect.stringContaining("no divergence")]);

    const { events } = parseLog(readFileSync(log));
    const failure = events.findIndex(({ kind }) => kind === "failure");
    const at = failure === -1 ? events.findIndex(({ kind }) => kind === "tool") : failure;
    const forked = await cli(["fork", "latest", "--at", `${at}`, "--run-id", "again", "--effort", "high", ...FLAGS], {
      cwd,
    });
    const fork = JSON.parse(forked.stdout);
    expect([forked.code, fork.state]).toEqual([0, state]);
    const { effort } = parseLog(readFileSync(fork.log)).header.team.config;
    expect(effort).toEqual(Object.fromEntries(rolesOf(TEAMS[team]).map((role) => [role, "high"])));

    const lines = readFileSync(log, "utf8").split("\n");
    const first = lines.findIndex((line) => line.includes('"op":"model"'));
    writeFileSync(log, `${lines.slice(0, first + 1).join("\n")}\n`);
    const resumed = await cli(["resume", log, ...FLAGS], { cwd });
    expect([resumed.code, JSON.parse(resumed.stdout)]).toMatchObject([0, { passed, state, repairs }]);
  });

  test("works on the tasks of a batch", async () => {
    const argv = ["batch", "--tasks", "page-window", "--mock", "--team", team, "--isolation", "none", "--json"];
    const { code, stdout } = await cli(argv);
    expect([code, JSON.parse(stdout)]).toMatchObject([0, { runs: 1, passed: 1 }]);
  });
});

describe("--team", () => {
  test.each(["run --task page-window", "batch --tasks page-window"])(
    "%s names the team that was meant",
    async (line) => {
      const { field, message } = await refusal([...line.split(" "), "--team", "selfhealing"]);
      expect([field, message]).toEqual(["--team", '--team: "selfhealing" is no team; did you mean self-healing?']);
      expect((await refusal([...line.split(" "), "--team", "x"])).message).toContain(TEAM_NAMES.join(", "));
    },
  );

  test("decides the roles, and the models that they have without a setting", async () => {
    const argv = ["run", "--task", "page-window"];
    const healing = [...argv, "--team", "self-healing"];
    expect(await refusal(healing)).toMatchObject({
      field: "GEMINI_API_KEY",
      message: expect.stringContaining("(gemini:gemini-3.7-flash, the model of developer, debugger)"),
    });
    const other = await refusal(healing, { GEMINI_API_KEY: "k", REVIEWER_MODEL: "openai:gpt-x" });
    expect(other.message).toContain("(openai:gpt-x, the model of reviewer)");
    expect((await refusal([...argv, "--model", "developer=openai:x"])).message).toMatch(
      /is no role; .* planner, coder/,
    );
    expect((await refusal([...healing, "--model", "coder=openai:x"])).message).toMatch(/is no role; .* architect, dev/);
  });

  test("refuses a flag that is for other teams, and names them", async () => {
    const argv = ["run", ...MOCK, "--team", "self-healing", "--race", "2"];
    expect((await refusal(argv)).message).toBe("--race: does not go with --team self-healing; it is for codeswarm");
  });

  test("--max-iterations bounds the coder's calls, before its setting", async () => {
    const cwd = tempFolder();
    const argv = ["run", ...MOCK, "--max-iterations", "3", ...FLAGS];
    const { code, stdout } = await cli(argv, { cwd, env: { CODER_MAX_ITERATIONS: "7" } });
    expect(code).toBe(0);
    expect(parseLog(readFileSync(JSON.parse(stdout).log)).header.team.config).toMatchObject({ calls: { coder: 3 } });
    for (const wrong of ["0", "11", "1.5", "x"]) {
      const { field, message } = await refusal(["run", ...MOCK, "--max-iterations", wrong]);
      expect([field, message]).toEqual([
        "--max-iterations",
        `--max-iterations: has to be a whole number from 1 to 10, and is "${wrong}"`,
      ]);
    }
    const healing = await refusal(["batch", "--tasks", "all", "--team", "self-healing", "--max-iterations", "3"]);
    expect(healing.message).toContain("does not go with --team self-healing; it is for codeswarm");
  });

  test("--qa-max-iterations bounds the test runs of QA", async () => {
    const argv = ["run", ...MOCK, "--team", "dev-team", "--qa-max-iterations", "1", "--max-calls", "1", ...FLAGS];
    const { config } = parseLog(readFileSync(JSON.parse((await cli(argv)).stdout).log)).header.team;
    expect(config).toMatchObject({ maxRounds: 1, calls: { coder: 10 } });
    expect((await refusal(["run", ...MOCK, "--qa-max-iterations", "1"])).message).toContain("it is for dev-team");
    const wrong = await refusal(["run", ...MOCK, "--team", "dev-team", "--qa-max-iterations", "6"]);
    expect(wrong.message).toBe('--qa-max-iterations: has to be a whole number from 1 to 5, and is "6"');
  });

  test("--max-debug-iterations bounds the repairs of the debugger, before its setting", async () => {
    const argv = ["run", ...MOCK, "--team", "self-healing", "--max-debug-iterations"];
    const ran = await cli([...argv, "0", ...FLAGS], { env: { MAX_DEBUG_ITERATIONS: "3" } });
    expect([ran.code, JSON.parse(ran.stdout).report.tests]).toEqual([1, "capped"]);
    const { message } = await refusal([...argv, "11"]);
    expect(message).toBe('--max-debug-iterations: has to be a whole number from 0 to 10, and is "11"');
    const other = await refusal(["batch", "--tasks", "all", "--mock", "--max-debug-iterations", "1"]);
    expect(other.message).toContain("does not go with --team codeswarm; it is for self-healing");
  });

  test("--exec-timeout is how long a command of a model may take, before its setting", async () => {
    const flags = ["--team", "dev-team", "--exec-timeout", "7", "--max-calls", "1", ...FLAGS];
    const ran = await cli(["run", ...MOCK, ...flags], { env: { EXEC_TIMEOUT_SECONDS: "20" } });
    const { config } = parseLog(readFileSync(JSON.parse(ran.stdout).log)).header.team;
    expect(config).toMatchObject({ commandTimeoutSeconds: 7 });
    const { message } = await refusal(["run", ...MOCK, "--team", "coder", "--exec-timeout", "121"]);
    expect(message).toBe('--exec-timeout: has to be a whole number from 1 to 120, and is "121"');
    const other = await refusal(["run", ...MOCK, "--team", "self-healing", "--exec-timeout", "7"]);
    expect(other.message).toContain("it is for dev-team, coder");
  });

  test.each([
    [
      "dev-team",
      {
        QA_MAX_ITERATIONS: "2",
        QA_MAX_TOKENS: "4321",
        CODER_MAX_ITERATIONS: "4",
        CODER_MAX_TOKENS: "1234",
        EXEC_TIMEOUT_SECONDS: "7",
        MEMORY_WINDOW_TURNS: "6",
        QA_THINKING_LEVEL: "high",
      },
      {
        maxRounds: 2,
        maxTokens: { qa: 4321, coder: 1234 },
        calls: { coder: 4 },
        commandTimeoutSeconds: 7,
        windowTurns: 6,
        effort: { qa: "high" },
      },
    ],
    [
      "coder",
      { CODER_MAX_ITERATIONS: "4", EXEC_TIMEOUT_SECONDS: "7", MEMORY_WINDOW_TURNS: "6" },
      { commandTimeoutSeconds: 7, windowTurns: 6 },
    ],
  ])("%s is as its settings have it", async (team, env, expected) => {
    const argv = ["run", ...MOCK, "--team", team, "--max-calls", "1", ...FLAGS];
    const { log } = JSON.parse((await cli(argv, { env })).stdout);
    expect(parseLog(readFileSync(log)).header.team.config).toMatchObject(expected);
  });

  test("takes the settings of its own", async () => {
    const cwd = tempFolder();
    const env = { MAX_DEBUG_ITERATIONS: "0", DEBUGGER_THINKING_LEVEL: "low" };
    const { code, stdout } = await cli(["run", ...MOCK, "--team", "self-healing", ...FLAGS], { cwd, env });
    const { log, report } = JSON.parse(stdout);
    expect([code, report.tests]).toEqual([1, "capped"]);
    const { config } = parseLog(readFileSync(log)).header.team;
    expect(config).toMatchObject({ maxDebugIterations: 0, effort: { architect: "high", debugger: "low" } });
  });
});
