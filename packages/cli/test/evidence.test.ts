import { globSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { codeswarm, devTeam, runAgent } from "@swarm/agents";
import { defineProgram, fileLogStore, type RunContext, runTask, type Task } from "@swarm/core";
import { scripted } from "@swarm/core/testing";
import { localSandbox } from "@swarm/sandbox";
import { loadTask, mockModel } from "@swarm/tasks";
import { afterEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { cli, removeTempFolders, tempFolder } from "./cli.ts";

afterEach(removeTempFolders);

/** The files of a folder of evidence, without the numbers of events in their names. */
const namesIn = (cwd: string) =>
  globSync("evidence/**/*", { cwd, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) =>
      join(parentPath, name)
        .slice(join(cwd, "evidence/").length)
        .replace(/\d{2,}-/, "n-"),
    )
    .sort();
const textOf = (cwd: string, pattern: string) => {
  const [path = ""] = globSync(`evidence/${pattern}`, { cwd });
  return readFileSync(join(cwd, path), "utf8");
};
const rowsOf = (cwd: string, path: string) =>
  textOf(cwd, path)
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));

/** A team that no package knows: two steps of work, each closed with a note that names its state; the second undoes the first. */
async function runOfOwnTeam(cwd: string): Promise<void> {
  const build = defineProgram({
    name: "build",
    input: z.string(),
    output: z.strictObject({ critique: z.string() }),
    async attempt(context, what) {
      await runAgent(context.role("coder"), what);
      return context.done({ critique: `${what} is too short` });
    },
  });
  const close = async (run: RunContext, task: string, status: string) =>
    run.note("qa", { closed: { task, status, snapshot: run.snapshot } });
  const call = (tool: string, args: Record<string, string>) => [{ tool, args }];
  const model = scripted("a:b", {
    "run/build|coder|0.0": call("write_file", { path: "one.txt", content: "1" }),
    "run/build.2|coder|0.0": call("write_file", { path: "two.txt", content: "2" }),
    "*|coder|*.*": "Done.",
  });
  const team = {
    ...codeswarm({ model }),
    version: "7",
    name: "own",
    programs: [build],
    async workflow(run: RunContext) {
      await run.note("coder", { a2a: { sender: "coder", receiver: "qa" } });
      await run.step(build, "one");
      await close(run, "T1", "approved");
      await run.step(build, "two");
      await close(run, "T2/../x", "approved");
      await run.note("qa", { several: 1, things: 2 });
      return { tasks: [{ id: "T1", status: "regressed" }] };
    },
  };
  const task: Task = { id: "numbers", prompt: "Write numbers.", source: { files: { "start.txt": "0" } } };
  const runs = join(cwd, "runs");
  const sandbox = localSandbox({ store: join(runs, "objects"), isolation: "none" });
  await runTask(task, { team, sandbox, store: fileLogStore(runs), runId: "own" });
}

describe("swarm show --evidence", () => {
  test("writes what any team's log has: hand-offs, notes by kind, reflections, the state after each step and task", async () => {
    const cwd = tempFolder();
    await runOfOwnTeam(cwd);
    const { code, stdout, stderr } = await cli(["show", "own", "--evidence", "evidence"], { cwd });
    expect([code, stdout, stderr]).toEqual([0, "", "evidence: what run own has to show\n"]);
    expect(namesIn(cwd)).toEqual([
      "README.md",
      "checks.jsonl",
      "final.json",
      "final/one.txt",
      "final/start.txt",
      "final/two.txt",
      "notes/a2a.jsonl",
      "notes/closed.jsonl",
      "notes/notes.jsonl",
      "notes/report.jsonl",
      "reflections.jsonl",
      "requirement.md",
      "states.jsonl",
      "states/n-build.2/one.txt",
      "states/n-build.2/two.txt",
      "states/n-build/one.txt",
      "states/n-closed-T1/one.txt",
      "states/n-closed-T2_.._x/one.txt",
      "states/n-closed-T2_.._x/two.txt",
      "steps/n-build.2.json",
      "steps/n-build.json",
    ]);
    expect(textOf(cwd, "requirement.md")).toBe("Write numbers.\n");
    expect(rowsOf(cwd, "notes/a2a.jsonl")).toMatchObject([{ agent: "coder", a2a: { receiver: "qa" } }]);
    expect(rowsOf(cwd, "reflections.jsonl")).toMatchObject([
      { step: "run/build", kind: "critique", text: "one is too short" },
      { step: "run/build.2", kind: "critique" },
    ]);
    expect(JSON.parse(textOf(cwd, "steps/*-build.json"))).toMatchObject({ input: "one", result: { ok: true } });
    expect(textOf(cwd, "README.md")).toContain("The team own 7 on the task numbers: failed.");
    expect(textOf(cwd, "README.md")).toContain('["build.2"]');
  });

  test("leaves a task's status as it was at its close; the final one stands in the final state", async () => {
    const cwd = tempFolder();
    await runOfOwnTeam(cwd);
    await cli(["show", "own", "--evidence", "evidence"], { cwd });
    const [first] = rowsOf(cwd, "notes/closed.jsonl");
    expect(first.closed).toMatchObject({ task: "T1", status: "approved" });
    const final = JSON.parse(textOf(cwd, "final.json"));
    expect(final).toMatchObject({ report: { tasks: [{ id: "T1", status: "regressed" }] }, verdict: { passed: false } });
  });

  test.each([
    ["codeswarm", ["steps/n-plan.json", "tests/n-implement.json", "suites/given/tests/test_durations.py"]],
    ["self-healing", ["steps/n-design.json", "steps/n-repair.json", "tests/n-run-tests.2.json"]],
  ])("of a run of %s has plan, tests, hints or diagnoses, suites and verdict", async (team, expected) => {
    const cwd = tempFolder();
    await cli(["run", "--task", "duration-format", "--team", team, "--mock"], { cwd });
    expect((await cli(["show", "latest", "--evidence", "evidence"], { cwd })).code).toBe(0);
    expect(namesIn(cwd)).toEqual(expect.arrayContaining([...expected, "final/durations.py"]));
    expect(rowsOf(cwd, "reflections.jsonl").length).toBeGreaterThan(0);
    expect(rowsOf(cwd, "checks.jsonl").at(-1)).toMatchObject({ asked: "verify", verdict: { passed: true } });
  });

  test("of a run in which agents write to each other has their messages, reflections, QA's suites and reports, and what regressed", async () => {
    const cwd = tempFolder();
    const loaded = await loadTask("demo-api.regressed");
    const runs = join(cwd, "runs");
    const sandbox = localSandbox({ store: join(runs, "objects"), isolation: "none" });
    const team = devTeam({ model: mockModel(loaded, { team: "dev-team" }) });
    await runTask(loaded.task, { team, sandbox, store: fileLogStore(runs) });
    expect((await cli(["show", "latest", "--evidence", "evidence"], { cwd })).code).toBe(0);
    expect(namesIn(cwd)).toEqual(
      expect.arrayContaining([
        "notes/regression.jsonl",
        "reflections.jsonl",
        "states/n-closed-T1/notes_api.py",
        "states/n-closed-T2/notes_server.py",
        "steps/n-draft-spec.json",
        "suites/T1/tests/test_qa_t1.py",
        "suites/T2/tests/test_qa_t2.py",
        "tests/n-review.json",
        "tests/n-check-again.json",
      ]),
    );
    const messages = rowsOf(cwd, "notes/a2a.jsonl").flatMap(({ a2a }) => (a2a.message ? [a2a.message.intent] : []));
    expect(new Set(messages)).toEqual(new Set(["review_request", "fix_instruction", "approved", "final_report"]));
    expect(rowsOf(cwd, "reflections.jsonl").map(({ kind }) => kind)).toContain("critique");
    // as it was when it was closed, and as it is in the end
    expect(rowsOf(cwd, "notes/closed.jsonl")[0].closed).toMatchObject({ task: "T1", status: "approved" });
    const { report } = JSON.parse(textOf(cwd, "final.json"));
    expect(report).toMatchObject({ status: "partial", tasks: [{ id: "T1", status: "regressed" }, { id: "T2" }] });
  });

  test("writes to an empty or new folder only, and says where it looked for files that are not there", async () => {
    const cwd = tempFolder();
    await runOfOwnTeam(cwd);
    mkdirSync(join(cwd, "full/inner"), { recursive: true });
    const refused = await cli(["show", "own", "--evidence", "full"], { cwd });
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringMatching(/^swarm: --evidence: .* has content/)]);
    const both = await cli(["show", "own", "--evidence", "evidence", "--files", "files"], { cwd });
    expect([both.code, both.stderr]).toEqual([2, expect.stringContaining("exclude each other")]);
    mkdirSync(join(cwd, "elsewhere"));
    const lost = await cli(["show", join(cwd, "runs/own.jsonl"), "--evidence", "evidence", "--runs", "elsewhere"], {
      cwd,
    });
    expect([lost.code, lost.stderr]).toEqual([2, expect.stringContaining("does not hold the files of run own")]);
    expect(namesIn(cwd)).toEqual([]);
  });
});
