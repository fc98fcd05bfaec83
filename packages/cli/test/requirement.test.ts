import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseLog } from "@swarm/core";
import { afterEach, describe, expect, test } from "vitest";
import { TEAM_NAMES } from "../src/teams/names.ts";
import { cli, removeTempFolders, tempFolder } from "./cli.ts";
import { modelServer, type ServedAnswer } from "./model-server.ts";

afterEach(removeTempFolders);

const REQUIREMENT = "Write double.py: double(x) gives twice the number.";
const SUITE = {
  runner: "pytest",
  files: [
    {
      path: "tests/test_double.py",
      content: "from double import double\n\ndef test_two():\n    assert double(2) == 4\n",
    },
  ],
};
const WRITE = [{ tool: "write_file", args: { path: "double.py", content: "def double(x):\n    return 2 * x\n" } }];
const FINISH = [{ tool: "finish", args: { explanation: "It is there.", plan: "Multiply.", entryPoint: "double.py" } }];
/** What models that are right at once answer, team by team. */
const ANSWERS: Record<string, ServedAnswer[]> = {
  codeswarm: [
    JSON.stringify(SUITE),
    JSON.stringify({ steps: [{ title: "Double it", instructions: "Multiply." }] }),
    WRITE,
    "Done.",
  ],
  coder: [[...WRITE, ...SUITE.files.map((args) => ({ tool: "write_file", args }))], FINISH],
  "dev-team": [
    JSON.stringify({
      criteria: [{ id: "AC1", text: "double(x) is twice x." }],
      tasks: [{ id: "T1", title: "Double it", instructions: "Write double(x).", covers: ["AC1"] }],
    }),
    [{ tool: "write_file", args: { path: "double.py", content: "def double(x):\n    return x\n" } }],
    FINISH,
    JSON.stringify({ bugs: ["It does not double."], edgeCases: [], revision: "Multiply." }),
    WRITE,
    FINISH,
    JSON.stringify({
      runner: "pytest",
      setup: "from double import double",
      tests: [{ name: "test_two", criteria: ["AC1"], code: "def test_two():\n    assert double(2) == 4" }],
      notes: "",
    }),
  ],
  "self-healing": [JSON.stringify({ specification: "Twice x.", suite: SUITE }), WRITE, "Done.", "double.py is there."],
};

async function run(argv: string[], answers: ServedAnswer[], cwd = tempFolder()) {
  await using server = await modelServer(answers);
  const env = { VLLM_BASE_URL: server.url, RETRY_MAX: "0" };
  const result = await cli(["run", ...argv, "--model", "vllm:m", "--json", "--isolation", "none"], { cwd, env });
  return { ...result, cwd, prompts: server.requests.map(({ body }) => JSON.stringify(body["messages"])) };
}

describe.each(Object.entries(ANSWERS))("a requirement in words, by %s", (team, answers) => {
  test("is built from nothing, by tests that its team writes, and passes at best", async () => {
    const { code, stdout, stderr, prompts, cwd } = await run([REQUIREMENT, "--team", team, "--out", "out"], answers);
    expect(stderr).toMatch(/^task {7}write-double-py-double-x-gives-\w{6}: Write double\.py/m);
    const { outcome, oracle, log } = JSON.parse(stdout);
    expect([code, outcome, oracle]).toEqual([0, "passed", "generated"]);
    expect(readFileSync(join(cwd, "out/double.py"), "utf8")).toContain("2 * x");
    expect(prompts[0]).toContain("(the workspace is empty)");
    expect(parseLog(readFileSync(log)).header).toMatchObject({ task: { prompt: REQUIREMENT }, team: { name: team } });
    const replayed = await cli(["replay", "latest", "--isolation", "none"], { cwd });
    expect([replayed.code, replayed.stderr]).toEqual([0, expect.any(String)]);
  });
});

test("a run of a requirement goes on after it was cut short", async () => {
  const [suite, ...others] = ANSWERS["codeswarm"]!;
  const { code, cwd, stdout } = await run([REQUIREMENT], [suite!]);
  const { outcome, log } = JSON.parse(stdout);
  expect([code, outcome]).toEqual([1, "infra-error"]);
  const lines = readFileSync(log, "utf8").split("\n");
  const planner = lines.findIndex((line) => line.includes('"op":"model"') && line.includes("run/plan"));
  writeFileSync(log, `${lines.slice(0, planner).join("\n")}\n`);
  await using server = await modelServer(others);
  const env = { VLLM_BASE_URL: server.url };
  const resumed = await cli(["resume", "latest", "--json", "--isolation", "none"], { cwd, env });
  expect([resumed.code, JSON.parse(resumed.stdout)]).toMatchObject([0, { passed: true, outcome: "passed" }]);
});

test.each(TEAM_NAMES)(
  "a plain request with a script is played by %s, and judged by the tests that it writes",
  async (team) => {
    const words = "write fizzbuzz.py with tests and run them";
    const cwd = tempFolder();
    const { code, stdout } = await cli(["run", "--team", team, words, "--mock", "--json", "--isolation", "none"], {
      cwd,
    });
    const { outcome, oracle, signals, report } = JSON.parse(stdout);
    expect([code, outcome, oracle, signals]).toEqual([0, "passed", "generated", { testsPassed: 8, testsFailed: 0 }]);
    const exported = await cli(["export", "--format", "sft", "--out", "rows.jsonl"], { cwd });
    expect([exported.code, exported.stderr]).toEqual([
      0,
      expect.stringMatching(/^rows\.jsonl: [1-9]\d* rows? of 1 runs\n/),
    ]);
    if (team !== "coder") return;
    const files = ["fizzbuzz.py", "tests/test_fizzbuzz.py"].map((path) => ({ path, verified: true }));
    expect(report).toMatchObject({ status: "completed", entryPoint: "fizzbuzz.py", files });
  },
);

test("--mock refuses what is asked for in words without a script", async () => {
  const { code, stderr } = await cli(["run", "write a clock", "--mock"]);
  expect([code, stderr]).toEqual([2, expect.stringContaining('only "Write fizzbuzz.py with tests')]);
});

test("what ends with .json and is there is a task file, though its name has several words", async () => {
  const cwd = tempFolder();
  writeFileSync(join(cwd, "my task.json"), JSON.stringify({ id: "t", prompt: "p", starter: {} }));
  const { stdout } = await run(["my task.json", "--max-calls", "1"], ["no suite"], cwd);
  expect(JSON.parse(stdout).taskId).toBe("t");
  const other = await run(["convert a.csv into b.json", "--max-calls", "1"], ["no suite"]);
  expect(JSON.parse(other.stdout).taskId).toMatch(/^convert-a-csv-into-b-json-/);
});

test("a built-in task may be named without --task; words without quotes are told to take some", async () => {
  const { code, stdout } = await cli(["run", "page-window", "--mock", "--json", "--isolation", "none"]);
  expect([code, JSON.parse(stdout).taskId]).toEqual([0, "page-window"]);
  const unquoted = await cli(["run", "build", "a", "clock"]);
  expect([unquoted.code, unquoted.stderr]).toEqual([
    2,
    'swarm: "a": is not expected: swarm run takes one [<task>], in quotes\n',
  ]);
});
