import type { CoderReport, DevTeamReport } from "@swarm/agents";
import { memoryLogStore, resumeRun, runTask, type Trajectory } from "@swarm/core";
import { assertEqualRuns, assertSoundRun, memorySandbox } from "@swarm/core/testing";
import { expect, test } from "vitest";
import { chance, pick } from "./odd/chance.ts";
import { oddOracle, oddTests } from "./odd/judges.ts";
import { oddModel } from "./odd/model.ts";
import { clock, GIVEN, PLAIN, TEAMS } from "./odd/teams.ts";

const SEEDS = Array.from({ length: 40 }, (_, seed) => seed);

test.each(Object.keys(TEAMS))(
  "%s comes to a sound end whatever its models, tests and oracle do, crashed or not",
  async (name) => {
    for (const seed of SEEDS) {
      const told = `${name}, seed ${seed}`;
      const parts = () => ({
        team: TEAMS[name]!(oddModel(seed, pick([0, 0.03, 0.1, 0.3], "junk", seed)), seed),
        sandbox,
        oracle: oddOracle(seed),
        tests: oddTests(seed, pick([0.5, 0.8, 0.95], "passing", seed)),
        clock,
      });
      const sandbox = memorySandbox();
      const limits = chance("limited", seed) < 0.15 ? { modelCalls: 1 + Math.floor(chance("limit", seed) * 20) } : {};
      const task = chance("given", seed) < 0.3 ? GIVEN : PLAIN;
      const whole = await runTask(task, { ...parts(), limits, store: memoryLogStore(), runId: "run" });
      assertSoundRun(whole);
      const faults = whole.events.flatMap(({ payload }) => (payload.type === "fault" ? [payload.fault.code] : []));
      expect(faults, told).not.toContain("CRASHED");
      checkReport(whole, told);
      // a call that was cut off counts as made: what limits leave is another thing then
      if ("modelCalls" in limits || !whole.events.some(isDecided)) continue;
      for (const nth of [0, 1]) {
        const store = memoryLogStore();
        const writer = await store.create(whole.header);
        writer.append(whole.events.slice(0, Math.floor(chance("cut", seed, nth) * whole.events.length)));
        await writer.close();
        const resumed = await resumeRun("run", { ...parts(), store }).result;
        assertSoundRun(resumed);
        assertEqualRuns(whole, resumed);
        expect(resumed.report, told).toEqual(whole.report);
      }
    }
  },
  300_000,
);

function isDecided({ key, payload }: Trajectory["events"][number]): boolean {
  return payload.type === "verdict" && key !== null;
}

/** What a report says of itself has to be so. */
function checkReport({ report, header, events }: Trajectory, told: string): void {
  if (report === null) return;
  const notes = events.flatMap(({ payload }) => (payload.type === "note" ? [payload.note] : []));
  if (header.team.name === "self-healing")
    expect((report as { report: string }).report.split(/\s+/).length, told).toBeLessThan(150);
  if (header.team.name === "coder")
    expect((report as CoderReport).status, told).toMatch(/^(completed|partial|failed)$/);
  if (header.team.name !== "dev-team") return;
  const { status, tasks, rejectedMessages } = report as DevTeamReport;
  expect(tasks.length, told).toBeLessThanOrEqual(8);
  if (status === "completed")
    expect(
      tasks.every((one) => one.status === "approved"),
      told,
    ).toBe(true);
  if (status === "failed") expect(tasks, told).toEqual([]);
  if (status === "aborted") return;
  const rejected = notes.filter(({ a2a }) => (a2a as { delivered?: boolean } | undefined)?.delivered === false);
  expect(rejectedMessages, told).toBe(rejected.length);
  const recorded = notes.map(({ a2a }) => JSON.stringify((a2a as { message?: object } | undefined)?.message));
  for (const { stepId, payload } of events) {
    // of reviews only the last one of a round is an answer: a rerun after a correction takes the place of the first
    if (payload.type !== "result" || !payload.result.ok || payload.result.stepId.startsWith("run/review")) continue;
    const { outbox = [] } = payload.result.output as { outbox?: object[] };
    for (const message of outbox) expect(recorded, `${told}, ${stepId}`).toContain(JSON.stringify(message));
  }
}
