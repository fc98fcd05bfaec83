import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { cli, removeTempFolders, tempFolder } from "./cli.ts";
import { modelServer, type ServedAnswer } from "./model-server.ts";

afterEach(removeTempFolders);

const PROMPT = "Write double.py: double(x) gives twice the number.";
const TEST = "from double import double\n\ndef test_two():\n    assert double(3) == 6\n";
const write = (text: string) => [
  { tool: "write_file", args: { path: "double.py", content: `def double(x):\n    ${text}\n` } },
];
const FINISH = [{ tool: "finish", args: { explanation: "It is there.", plan: "Multiply.", entryPoint: "double.py" } }];

/** What a dev-team answers whose coder writes `body`, and whose QA expects double(3) to be `expected` and stays with it. */
const devTeam = (body: string, expected: number): ServedAnswer[] => [
  JSON.stringify({
    criteria: [{ id: "AC1", text: "double(x) is twice x." }],
    tasks: [{ id: "T1", title: "Double", instructions: "Write double(x).", covers: ["AC1"] }],
  }),
  write("return x"),
  FINISH,
  JSON.stringify({ bugs: ["It does not double."], edgeCases: [], revision: "Double it." }),
  write(body),
  FINISH,
  JSON.stringify({
    runner: "pytest",
    setup: "from double import double",
    tests: [{ name: "test_it", criteria: ["AC1"], code: `def test_it():\n    assert double(3) == ${expected}` }],
    notes: "",
  }),
  JSON.stringify({ corrections: [], setup: null, notes: "" }),
];

async function run(team: string, flags: string[], answers: ServedAnswer[], { given }: { given: boolean }) {
  const cwd = tempFolder();
  const task = { id: "double", prompt: PROMPT, starter: {}, testFiles: { "tests/test_given.py": TEST } };
  writeFileSync(join(cwd, "double.json"), JSON.stringify({ ...task, oracle: { runner: "pytest" } }));
  await using server = await modelServer(answers);
  const env = { VLLM_BASE_URL: server.url, RETRY_MAX: "0" };
  const what = [given ? "double.json" : PROMPT, "--team", team, ...flags, "--isolation", "none"];
  const { code, stdout } = await cli(["run", ...what, "--model", "vllm:m", "--json"], { cwd, env });
  const cost = JSON.parse((await cli(["cost", "latest", "--json"], { cwd })).stdout);
  return { code, ...JSON.parse(stdout), cost: cost.status };
}

const RIGHT = "return 2 * x";
const WRONG = "return x + 2";

describe("the exit code is the verdict's", () => {
  test.each<[string, string[], ServedAnswer[]]>([
    ["dev-team", ["--qa-max-iterations", "1"], devTeam(RIGHT, 7)],
    ["coder", ["--max-iterations", "2"], [write(RIGHT), "It is done."]],
  ])("where %s calls its work partial: 0 if the task's tests accept it, 1 if it has none", async (team, ...how) => {
    expect(await run(team, ...how, { given: true })).toMatchObject({
      code: 0,
      passed: true,
      oracle: "given",
      report: { status: "partial" },
      cost: "unresolved",
    });
    expect(await run(team, ...how, { given: false })).toMatchObject({
      code: 1,
      passed: false,
      outcome: "failed",
      report: { status: "partial" },
      cost: "unresolved",
    });
  });

  test.each<[string, string[], ServedAnswer[], object]>([
    ["dev-team", [], devTeam(WRONG, 5), { status: "completed" }],
    ["coder", [], [write(WRONG), FINISH], { status: "completed" }],
    [
      "self-healing",
      ["--max-debug-iterations", "0"],
      [JSON.stringify({ specification: "Twice x." }), write(WRONG), "Built.", "All is well."],
      { tests: "capped" },
    ],
    [
      "codeswarm",
      [],
      [
        JSON.stringify({ steps: [{ title: "Double", instructions: "Double it." }] }),
        ...Array.from({ length: 4 }, () => [write(WRONG), "Done.", "Multiply."]).flat(),
      ],
      { steps: [{ ok: false }] },
    ],
  ])("where %s has done what it could and the task's tests refuse it: 1", async (team, flags, answers, report) => {
    expect(await run(team, flags, answers, { given: true })).toMatchObject({
      code: 1,
      passed: false,
      oracle: "given",
      report,
      cost: "unresolved",
    });
  });
});
