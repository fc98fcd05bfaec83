import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Executor } from "../contracts/executor.ts";
import { faultOf } from "../contracts/fault.ts";
import type { Task } from "../contracts/task.ts";
import { SwarmError } from "../errors.ts";
import { fileLogStore } from "../log/file-log-store.ts";
import { memoryLogStore } from "../log/memory-log-store.ts";
import { scripted } from "../testing/scripted.ts";
import { scriptedExecutor } from "../testing/scripted-executor.ts";
import { conformanceTask, conformanceTeam } from "../testing/team.ts";
import { resumeRun } from "./resume-run.ts";
import { runTask, startRun } from "./start-run.ts";

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "swarm-start-"));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const refusals: [string, unknown, string][] = [
  [
    "a path that leaves the workspace",
    { ...conformanceTask, source: { files: { "../x": "" } } },
    'source.files["../x"]',
  ],
  ["an absolute test path", { ...conformanceTask, testFiles: { "/etc/x": "" } }, 'testFiles["/etc/x"]'],
  ["a missing prompt", { id: "t", source: { files: {} } }, "prompt"],
  ["an unknown field", { ...conformanceTask, hidden: {} }, "hidden"],
  ["a limit that is none", { ...conformanceTask, limits: { usd: -1 } }, "limits.usd"],
  ["an id that is no name", { ...conformanceTask, id: "a/b" }, "id"],
];
test.each(refusals)("%s is refused with its field, and nothing is left behind", async (_, task, field) => {
  const runs = join(directory, "runs");
  const run = startRun(task as Task, { team: conformanceTeam(), store: fileLogStore(runs) });
  await expect(run.result).rejects.toMatchObject({ code: "INVALID_INPUT", field });
  expect(existsSync(runs)).toBe(false);
});

test("what the oracle, a model or the executor cannot do is known before anything is called", async () => {
  const team = conformanceTeam();
  const { testFiles: _, ...untested } = conformanceTask;
  await expect(runTask(untested, { team, store: memoryLogStore() })).rejects.toMatchObject({ field: "testFiles" });

  const noKey = () => {
    throw new SwarmError("MISSING_KEY", "no key");
  };
  const keyless = {
    ...team,
    roles: { coder: { ...team.roles["coder"]!, models: [{ ...scripted("a:b", {}), preflight: noKey }] as const } },
  };
  await expect(runTask(conformanceTask, { team: keyless, store: memoryLogStore() })).rejects.toMatchObject({
    code: "MISSING_KEY",
  });

  const executor = { ...scriptedExecutor({}), preflight: () => Promise.reject(new SwarmError("NO_WORKERS", "none")) };
  await expect(runTask(conformanceTask, { team, executor, store: memoryLogStore() })).rejects.toMatchObject({
    code: "NO_WORKERS",
  });
});

test("a team with two tools or two programs of one name is refused", async () => {
  const team = conformanceTeam();
  const coder = team.roles["coder"]!;
  const twice = { ...team, roles: { coder: { ...coder, tools: [...coder.tools, ...coder.tools] } } };
  await expect(runTask(conformanceTask, { team: twice, store: memoryLogStore() })).rejects.toMatchObject({
    field: "team.roles.coder.tools",
  });
  const programs = { ...team, programs: [...team.programs, ...team.programs] };
  await expect(runTask(conformanceTask, { team: programs, store: memoryLogStore() })).rejects.toMatchObject({
    field: "team.programs",
  });
});

test("a custom executor decides where and how steps run", async () => {
  const executor = scriptedExecutor({
    "run/write": { ok: false, fault: faultOf({ code: "NO", message: "no" }) },
  });
  const trajectory = await runTask(conformanceTask, { team: conformanceTeam(), executor, store: memoryLogStore() });
  executor.assertComplete();
  expect(trajectory.report).toEqual({ written: false });
  expect(executor.steps[0]).toMatchObject({ stepId: "run/write", program: "write", maxRetries: 1 });
  expect(JSON.parse(JSON.stringify(executor.steps[0]))).toEqual(executor.steps[0]);
});

test("hidden tests are in no step and no event", async () => {
  const steps: string[] = [];
  const executor = scriptedExecutor({});
  const spy: Executor = {
    ...executor,
    async runStep(step) {
      steps.push(JSON.stringify(step));
      throw new Error("stop");
    },
  };
  const task = { ...conformanceTask, hiddenTestFiles: { "hidden.json": "SECRET ANSWER" } };
  const trajectory = await runTask(task, { team: conformanceTeam(), executor: spy, store: memoryLogStore() });
  expect(trajectory.verdict.outcome).toBe("infra-error");
  expect(steps).toHaveLength(1);
  expect(steps.join() + trajectory.toJsonl()).not.toMatch(/SECRET ANSWER|hidden\.json/);
});

test("a wall limit ends the run as timed out", async () => {
  const team = conformanceTeam();
  const hang = { ...scripted("a:b", {}), complete: () => new Promise<never>(() => {}) };
  const slow = { ...team, roles: { ...team.roles, coder: { ...team.roles["coder"]!, models: [hang] as const } } };
  const { verdict } = await runTask(conformanceTask, { team: slow, store: memoryLogStore(), limits: { wallMs: 40 } });
  expect(verdict.outcome).toBe("timeout");
});

test("the caller's signal aborts, also one that is aborted already", async () => {
  const signal = AbortSignal.abort(new SwarmError("ABORTED", "not today"));
  const { verdict, events } = await runTask(conformanceTask, {
    team: conformanceTeam(),
    store: memoryLogStore(),
    signal,
  });
  expect(verdict).toMatchObject({ outcome: "aborted", reasons: ["not today"] });
  expect(events.some(({ payload }) => payload.type === "begin")).toBe(false);
});

test("another team, or another version of it, cannot go on with a log", async () => {
  const store = memoryLogStore();
  const team = conformanceTeam();
  await runTask(conformanceTask, { team, store, runId: "run" });
  await expect(resumeRun("run", { team: { ...team, version: "2" }, store }).result).rejects.toMatchObject({
    code: "TEAM_MISMATCH",
  });
});

test("a finished run that is resumed gives its verdict and writes nothing", async () => {
  const store = memoryLogStore();
  const team = conformanceTeam();
  const first = await runTask(conformanceTask, { team, store, runId: "run" });
  const again = await resumeRun("run", { team, store }).result;
  expect(again.verdict).toEqual(first.verdict);
  expect(again.events).toHaveLength(first.events.length);
});

test("who iterates is told of a refusal there", async () => {
  const run = startRun({} as Task, { team: conformanceTeam(), store: memoryLogStore() });
  await expect(async () => {
    for await (const _ of run);
  }).rejects.toMatchObject({ code: "INVALID_INPUT" });
});
