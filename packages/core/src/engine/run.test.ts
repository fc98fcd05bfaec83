import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { LogHeaderSchema, RunEventSchema } from "../contracts/event.ts";
import { defineProgram } from "../contracts/program.ts";
import { FrozenSuiteSchema } from "../contracts/suite.ts";
import type { Team } from "../contracts/team.ts";
import { fileLogStore } from "../log/file-log-store.ts";
import { memoryLogStore } from "../log/memory-log-store.ts";
import { assertSoundRun } from "../testing/assert-sound-run.ts";
import { assertEqualRuns, executorConformance } from "../testing/executor-conformance.ts";
import { conformanceTask, conformanceTeam } from "../testing/team.ts";
import { LocalExecutor } from "./local-executor.ts";
import { replayRun } from "./replay-run.ts";
import { resumeRun } from "./resume-run.ts";
import { runTask, startRun } from "./start-run.ts";

const folders: string[] = [];
function folder(): string {
  const path = mkdtempSync(join(tmpdir(), "swarm-core-"));
  folders.push(path);
  return path;
}
afterAll(() => {
  for (const path of folders) rmSync(path, { recursive: true, force: true });
});

describe("the local executor", () => {
  for (const { name, run } of executorConformance({ executor: () => new LocalExecutor(), store: folder() }))
    test(name, run);
});

test("a log on disk is a header and events without gaps, each line valid", async () => {
  const directory = folder();
  const trajectory = await runTask(conformanceTask, { team: conformanceTeam(), store: fileLogStore(directory) });
  const lines = trajectory.toJsonl().trimEnd().split("\n");
  LogHeaderSchema.parse(JSON.parse(lines[0]!));
  const indexes = lines.slice(1).map((line) => RunEventSchema.parse(JSON.parse(line)).tsIndex);
  expect(indexes).toEqual(indexes.map((_, index) => index));
  const read = await fileLogStore(directory).read(trajectory.runId);
  expect(read.events.length).toBe(trajectory.events.length);
});

test("two runs of one task are equal", async () => {
  const runs = [1, 2].map(() => runTask(conformanceTask, { team: conformanceTeam(), store: memoryLogStore() }));
  const [a, b] = await Promise.all(runs);
  assertEqualRuns(a!, b!);
});

test("a run that is cut off after any event resumes to the same log and verdict", async () => {
  const whole = await runTask(conformanceTask, { team: conformanceTeam(), store: memoryLogStore() });
  for (let cut = 0; cut < whole.events.length; cut++) {
    const store = memoryLogStore();
    const team = conformanceTeam();
    const first = await runTask(conformanceTask, { team, store, runId: "run" });
    const writer = await memoryStoreWith(first.header, whole.events.slice(0, cut), store);
    const resumed = await resumeRun(writer, { team, store }).result;
    expect(resumed.verdict.outcome).toBe("verified");
    assertSoundRun(resumed);
    assertEqualRuns(whole, resumed);
  }
});

async function memoryStoreWith(
  header: Awaited<ReturnType<typeof runTask>>["header"],
  events: Awaited<ReturnType<typeof runTask>>["events"],
  store: ReturnType<typeof memoryLogStore>,
): Promise<string> {
  const runId = `cut-${events.length}`;
  const writer = await store.create({ ...header, runId });
  writer.append(events);
  await writer.close();
  return runId;
}

test("a replay of a log shows no divergence and calls no model", async () => {
  const store = memoryLogStore();
  const team = conformanceTeam();
  const { runId } = await runTask(conformanceTask, { team, store });
  const { divergence, trajectory } = await replayRun(runId, { team, store });
  expect(divergence).toBeNull();
  expect(trajectory.verdict.outcome).toBe("verified");
});

test("a run tells its events live, and ends its stream", async () => {
  const run = startRun(conformanceTask, { team: conformanceTeam(), store: memoryLogStore() });
  const seen: string[] = [];
  run.on("failure", () => {
    throw new Error("a listener's own fault");
  });
  for await (const event of run) seen.push(event.kind);
  const trajectory = await run.result;
  expect(seen.length).toBe(trajectory.events.length);
  expect(seen.at(-1)).toBe("verdict");
  const notes = trajectory.events.flatMap(({ payload }) => (payload.type === "note" ? [payload.note] : []));
  expect(notes).toContainEqual({ event: "listener_failed", message: "a listener's own fault" });
});

test("a suite can be tried before it is frozen, and is till then in no step and no verdict", async () => {
  const base = conformanceTeam();
  const draft = { id: "draft", author: "lead", runner: "checks" };
  const checks = [{ id: "absent", path: "main.txt", text: "nowhere in it" }];
  const attempt = defineProgram({
    name: "try",
    input: z.strictObject({ suites: z.array(z.union([z.string(), FrozenSuiteSchema])) }),
    output: z.strictObject({ known: z.array(z.string()), ran: z.array(z.string()) }),
    async attempt(context, { suites }) {
      const { tests } = await context.test(suites);
      return context.done({ known: context.suites.map(({ id }) => id), ran: tests.map(({ id }) => id) });
    },
  });
  const teamThat = (frozen: boolean): Team => ({
    ...base,
    programs: [...base.programs, attempt],
    async workflow(run) {
      const admission = await run.admit({ ...draft, files: { "draft.json": JSON.stringify(checks) } });
      if (!admission.ok) return admission;
      const tried = await run.step(attempt, { suites: ["given", admission.output] });
      await base.workflow(run);
      const after = run.suites.map(({ id }) => id);
      if (frozen) await run.freeze(admission.output);
      return tried.ok && { ...tried.output, after };
    },
  });
  const store = memoryLogStore();
  const team = teamThat(false);
  const { runId, report, verdict } = await runTask(conformanceTask, { team, store });
  expect(report).toMatchObject({ known: ["given"], ran: expect.arrayContaining(["absent"]), after: ["given"] });
  expect((report as { ran: string[] }).ran.length).toBeGreaterThan(1);
  expect(verdict.passed).toBe(true);
  expect((await replayRun(runId, { team, store })).divergence).toBeNull();

  const strict = await runTask(conformanceTask, { team: teamThat(true), store });
  expect(strict.verdict).toMatchObject({ passed: false, reasons: ["main.txt does not include nowhere in it"] });
  expect((await replayRun(strict.runId, { team: teamThat(true), store })).divergence).toBeNull();
});
