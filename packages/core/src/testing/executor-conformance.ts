import { strict as assert } from "node:assert";
import type { Executor } from "../contracts/executor.ts";
import type { Team } from "../contracts/team.ts";
import type { Trajectory } from "../contracts/trajectory.ts";
import { forkRun } from "../engine/fork-run.ts";
import { LocalExecutor } from "../engine/local-executor.ts";
import { resumeRun } from "../engine/resume-run.ts";
import { startRun } from "../engine/start-run.ts";
import { firstDivergence } from "../log/divergence.ts";
import { memoryLogStore } from "../log/memory-log-store.ts";
import { assertReplays } from "./assert-replays.ts";
import { assertSoundRun } from "./assert-sound-run.ts";
import { conformanceTask, conformanceTeam } from "./team.ts";

/** A case of a conformance suite: run it in whatever test framework there is. It rejects where the port breaks its contract. */
export type ConformanceCase = { name: string; run(): Promise<void> };

export type ExecutorConformance = {
  /** A fresh executor. Its workers make the team by `makeTeam` of `@swarm/core/testing/team`. */
  executor(): Executor;
  /** A folder that this process and the executor's workers can both reach; emptied by the caller. */
  store: string;
};

/** What every executor must do: the same events as the local one, whatever happens on the way. */
export function executorConformance({ executor, store }: ExecutorConformance): ConformanceCase[] {
  const team = (config = {}): Team => conformanceTeam({ store, ...config });
  const run = async (options: { executor: Executor; team?: Team; limits?: object }) => {
    const trajectory = await startRun(conformanceTask, { team: team(), store: memoryLogStore(), ...options }).result;
    assertSoundRun(trajectory);
    await assertReplays(trajectory, { team: options.team ?? team() });
    return trajectory;
  };
  const reference = (options: { team?: Team } = {}) => run({ executor: new LocalExecutor(), ...options });

  return [
    {
      name: "solves the task with the events that the local executor writes",
      async run() {
        const [local, other] = [await reference(), await run({ executor: executor() })];
        assert.equal(other.verdict.outcome, "verified");
        assertEqualRuns(local, other);
      },
    },
    {
      name: "stops at the bound of its attempts with the same failure signature",
      async run() {
        const broken = () => team({ broken: true });
        const [local, other] = [
          await reference({ team: broken() }),
          await run({ executor: executor(), team: broken() }),
        ];
        assert.equal(other.verdict.passed, false);
        assert.equal(other.failureSignature, local.failureSignature);
        assert.equal(other.step("run/write")?.result?.attempts, 2);
        assertEqualRuns(local, other);
      },
    },
    {
      name: "lets no call begin that is over the budget",
      async run() {
        const { verdict, usage } = await run({ executor: executor(), limits: { modelCalls: 3 } });
        assert.equal(verdict.outcome, "budget");
        assert.equal(usage.modelCalls, 3);
      },
    },
    {
      name: "ends when the run is aborted",
      async run() {
        const running = startRun(conformanceTask, { team: team(), store: memoryLogStore(), executor: executor() });
        running.on("tool", () => running.abort("enough"));
        const trajectory = await running.result;
        assert.equal(trajectory.verdict.outcome, "aborted");
        assertSoundRun(trajectory);
      },
    },
    {
      name: "goes on with a run that was cut short, and makes no finished call again",
      async run() {
        const logs = memoryLogStore();
        const running = startRun(conformanceTask, { team: team(), store: logs, executor: executor() });
        running.on("failure", () => running.abort("cut short"));
        await running.result;
        const resumed = await resumeRun(running.runId, { team: team(), store: logs, executor: executor() }).result;
        assert.equal(resumed.verdict.outcome, "verified");
        assertSoundRun(resumed);
        assertEqualRuns(await reference(), resumed);
      },
    },
    {
      name: "goes on with a fork in the middle of an attempt, and tells what it was forked with",
      async run() {
        const logs = memoryLogStore();
        const { runId, events } = await startRun(conformanceTask, { team: team(), store: logs }).result;
        const at = events.findIndex(({ kind, key }) => kind === "tool" && key === "0.7");
        const forked = (executor: Executor) =>
          forkRun(runId, { at, hint: "Mind the end.", team: team(), store: logs, executor }).result;
        const [local, other] = [await forked(new LocalExecutor()), await forked(executor())];
        assertSoundRun(other);
        assert.equal(other.verdict.outcome, "verified");
        assertEqualRuns(local, other);
      },
    },
  ];
}

/** Fails with the first event in which two runs differ. */
export function assertEqualRuns(expected: Pick<Trajectory, "events">, actual: Pick<Trajectory, "events">): void {
  const divergence = firstDivergence(expected.events, actual.events);
  assert.equal(divergence, null, `the runs differ: ${JSON.stringify(divergence, null, 2)}`);
}
