import { copyFileSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { codeswarm } from "@swarm/agents";
import { fileLogStore, forkRun, type Oracle, type RunOptions, SandboxError, startRun, type Team } from "@swarm/core";
import { localSandbox } from "@swarm/sandbox";
import { afterEach, describe, expect, test } from "vitest";
import { cli, removeTempFolders, tempFolder } from "../packages/cli/test/cli.ts";
import { oddOracle, oddTests } from "./odd/judges.ts";
import { oddModel } from "./odd/model.ts";
import { PLAIN, TEAMS } from "./odd/teams.ts";

afterEach(removeTempFolders);

const SEED = 5;
const BROKEN: Oracle = { ...oddOracle(SEED), verify: () => Promise.reject(new SandboxError("no space left")) };

/** A folder of logs, and what a run whose log is there is made of. */
function place(team: Team) {
  const cwd = tempFolder();
  const runs = join(cwd, "runs");
  const options = {
    team,
    sandbox: localSandbox({ store: join(runs, "objects"), isolation: "none" }),
    store: fileLogStore(runs),
    oracle: oddOracle(SEED),
    tests: oddTests(SEED, 0.8),
  } satisfies RunOptions;
  return { cwd, options, log: (runId: string) => join(runs, `${runId}.jsonl`) };
}

/** What the command shows of a run; each view has to be there. */
async function views(cwd: string, runId: string) {
  const graph = await cli(["graph", runId], { cwd });
  const evidence = await cli(["show", runId, "--evidence", `evidence-${runId}`], { cwd });
  const told = await cli(["show", runId], { cwd });
  const outcomes = [graph, evidence, told].map(({ code, stderr }) => [code, stderr.includes("is torn")]);
  const folder = join(cwd, `evidence-${runId}`);
  return {
    outcomes,
    graph: graph.stdout,
    names: readdirSync(folder),
    readme: readFileSync(join(folder, "README.md"), "utf8"),
    final: JSON.parse(readFileSync(join(folder, "final.json"), "utf8")),
  };
}
const WHOLE = [0, 1, 2].map(() => [0, false]);
const TORN = [0, 1, 2].map(() => [0, true]);

describe.each(Object.keys(TEAMS))("graph, story and evidence of a run of %s", (name) => {
  const team = () => TEAMS[name]!(oddModel(SEED, 0), SEED);

  test("are there of any part of its log, torn or not, and of a fork from there", async () => {
    const { cwd, options, log } = place(team());
    const whole = await startRun(PLAIN, { ...options, runId: "whole" }).result;
    expect((await views(cwd, "whole")).outcomes).toEqual(WHOLE);
    const lines = readFileSync(log("whole"), "utf8").trimEnd().split("\n");
    for (const part of [0, 0.2, 0.4, 0.6, 0.8, 0.99]) {
      const count = 1 + Math.floor(part * (lines.length - 1));
      const runId = `part-${count}`;
      const kept = lines.slice(0, count).join("\n");
      writeFileSync(log(runId), `${kept}\n`);
      const shown = await views(cwd, runId);
      expect(shown.outcomes).toEqual(WHOLE);
      expect(shown.graph).toMatch(/^flowchart TD\n/);
      expect(shown.graph).not.toMatch(/\(\["(failed|passed)/);
      writeFileSync(log(`torn-${count}`), `${kept}\n${lines[count]!.slice(0, 20)}`);
      expect((await views(cwd, `torn-${count}`)).outcomes).toEqual(TORN);
    }
    const fork = await forkRun("whole", {
      ...options,
      at: Math.floor(lines.length / 2),
      hint: "Mind it.",
      runId: "fork",
    }).result;
    expect(fork.verdict).toEqual(whole.verdict);
    const shown = await views(cwd, "fork");
    expect(shown.outcomes).toEqual(WHOLE);
    expect(shown.graph).toContain("forked here");
  });

  test("are there where it was aborted, spent its budget, or its oracle broke, and say so", async () => {
    const { cwd, options } = place(team());
    const aborted = startRun(PLAIN, { ...options, runId: "aborted" });
    aborted.on("tool", () => aborted.abort("enough"));
    await aborted.result;
    await startRun(PLAIN, { ...options, runId: "budget", limits: { modelCalls: 3 } }).result;
    await startRun(PLAIN, { ...options, runId: "infra-error", oracle: BROKEN }).result;
    for (const outcome of ["aborted", "budget", "infra-error"]) {
      const shown = await views(cwd, outcome);
      expect(shown.outcomes).toEqual(WHOLE);
      expect(shown.graph).toContain(`(["${outcome}`);
      expect(shown.readme).toContain(`on the task odd: ${outcome}.`);
      expect(shown.final.verdict).toMatchObject({ passed: false, outcome });
    }
  });
});

test("those of a race show each candidate, and who lost", async () => {
  const { cwd, options } = place(codeswarm({ model: oddModel(SEED, 0), race: 2, maxRetries: 1 }));
  await startRun(PLAIN, { ...options, runId: "race" }).result;
  const shown = await views(cwd, "race");
  expect(shown.outcomes).toEqual(WHOLE);
  expect(shown.graph).toContain("race-implement: candidate 2");
});

test("a log without a line, and one of a header that is cut off, are refused with their reason", async () => {
  const { cwd, options, log } = place(TEAMS["coder"]!(oddModel(SEED, 0), SEED));
  await startRun(PLAIN, { ...options, runId: "whole" }).result;
  const [header = ""] = readFileSync(log("whole"), "utf8").split("\n");
  writeFileSync(log("empty"), "");
  writeFileSync(log("half"), header.slice(0, 100));
  copyFileSync(log("half"), log("other"));
  for (const runId of ["empty", "half"])
    for (const args of [
      ["graph", runId],
      ["show", runId, "--evidence", "evidence"],
      ["show", runId],
    ]) {
      const { code, stderr } = await cli(args, { cwd });
      expect([args, code, stderr]).toEqual([
        args,
        2,
        expect.stringMatching(/^swarm: .*(header|line 1 of the log).*\n$/),
      ]);
    }
});
