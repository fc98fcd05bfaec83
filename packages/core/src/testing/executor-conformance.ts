import { strict as assert } from "node:assert";
import type { Executor, StepHost } from "../contracts/executor.ts";
import type { Memory } from "../contracts/memory.ts";
import type { Team } from "../contracts/team.ts";
import type { Trajectory } from "../contracts/trajectory.ts";
import { forkRun } from "../engine/fork-run.ts";
import { LocalExecutor } from "../engine/local-executor.ts";
import { resumeRun } from "../engine/resume-run.ts";
import { startRun } from "../engine/start-run.ts";
import { messageOf, ProviderError } from "../errors.ts";
import { firstDivergence } from "../log/divergence.ts";
import { memoryLogStore } from "../log/memory-log-store.ts";
import { assertReplays } from "./assert-replays.ts";
import { assertSoundRun } from "./assert-sound-run.ts";
import { conformanceTask, conformanceTeam } from "./team.ts";

/** A case of a conformance suite: run it in whatever test framework there is. It rejects where the port breaks its contract. */
export type ConformanceCase = { name: string; run(): Promise<void> };

export type ExecutorConformance = {
  /** An executor, new or the same each time. Its workers make the team by `makeTeam` of `@swarm/core/testing/team`. */
  executor(): Executor;
  /** A folder that this process and the executor's workers can both reach; emptied by the caller. */
  store: string;
  /** Where attempts run in processes apart: how those are disturbed. Without it, the cases that do so are left out. */
  workers?: DisturbedWorkers;
  /** Places in the run at which a worker is lost: its appends, from 1 to about 40. Default: 1, 2, 3, 6, 10, 15 and 21. */
  places?: readonly number[];
};

/** Each names a worker as the events do that it wrote, in `measured.worker`. There have to be two at least. */
export type DisturbedWorkers = {
  /** Ends the process at once, as a lost machine would, and starts another one in its place. */
  kill(worker: string): void | Promise<void>;
  /** Stops the process, so that it does nothing, until it is thawed: longer than the executor waits for it. */
  freeze(worker: string): void | Promise<void>;
  thaw(worker: string): void | Promise<void>;
  /** Asks the process to end as it does when it is replaced, and starts another one in its place. */
  drain(worker: string): void | Promise<void>;
};

type Disturb = (worker: string) => void | Promise<void>;

/** What every executor must do: the same events as the local one, whatever happens on the way. */
export function executorConformance({
  executor,
  store,
  workers,
  places = [1, 2, 3, 6, 10, 15, 21],
}: ExecutorConformance): ConformanceCase[] {
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
      name: "asks the memories that the run has",
      async run() {
        const remembering = remembers(team());
        const [local, other] = [
          await reference({ team: remembering }),
          await run({ executor: executor(), team: remembering }),
        ];
        assertEqualRuns(local, other);
        const asked = other.events.filter(({ payload }) => payload.type === "end" && Array.isArray(payload.value));
        assert.ok(asked.length > 0, "nothing was recalled");
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
    {
      name: "writes events in the order in which they were caused, however long each takes to be acknowledged",
      async run() {
        const slow = slowed(executor());
        assertEqualRuns(await reference(), await run({ executor: slow }));
      },
    },
    {
      name: "makes one step of a step that it is given twice at once",
      async run() {
        assertEqualRuns(await reference(), await run({ executor: twice(executor()) }));
      },
    },
    ...(workers ? withWorkers(workers) : []),
  ];

  function withWorkers(disturbed: DisturbedWorkers): ConformanceCase[] {
    const lost = (name: string, at: readonly number[], lose: Disturb): ConformanceCase[] =>
      at.map((place) => ({
        name: `${name}, at place ${place}: another goes on, and no finished model call is made again`,
        async run() {
          const [local, other] = [await reference(), await run({ executor: disturbedAt(place, executor(), lose) })];
          assert.equal(other.verdict.outcome, "verified");
          assertEqualRuns(local, other);
          const redone = other.usage.modelCalls - local.usage.modelCalls;
          assert.ok(redone <= 1, `${redone} model calls were made again for one worker that was lost`);
        },
      }));
    return [
      ...lost("a worker is killed", places, (worker) => disturbed.kill(worker)),
      ...lost("a worker is drained", places.slice(-2), (worker) => disturbed.drain(worker)),
      {
        name: "a worker is frozen for longer than its lease, and thawed: nothing of what it does then counts",
        async run() {
          let frozen: string | null = null;
          const freeze = async (worker: string) => {
            frozen = worker;
            await disturbed.freeze(worker);
          };
          try {
            const other = await run({ executor: thawedLater(disturbedAt(6, executor(), freeze)) });
            assertEqualRuns(await reference(), other);
          } finally {
            if (frozen !== null) await disturbed.thaw(frozen);
          }

          /** Before the step after the one whose worker was frozen, so that the two are at work together. */
          function thawedLater(slow: Executor): Executor {
            return wrapped(slow, async (step, host) => {
              const result = await slow.runStep(step, host);
              if (frozen !== null) await disturbed.thaw(frozen);
              return result;
            });
          }
        },
      },
      {
        name: "refuses a team of another version before its first call, naming both",
        async run() {
          const other = { ...team(), version: "2" };
          const problem = await startRun(conformanceTask, {
            team: other,
            store: memoryLogStore(),
            executor: executor(),
          }).result.then(({ verdict, usage }) => {
            assert.equal(verdict.outcome, "infra-error");
            assert.equal(usage.modelCalls, 0);
            return verdict.reasons.join();
          }, messageOf);
          assert.match(problem, /conformance 1/);
          assert.match(problem, /conformance 2/);
        },
      },
    ];
  }
}

/** The team with a memory that only this process has, and that is busy each first time. */
function remembers(team: Team): Team {
  const tried = new Set<string>();
  const store: Memory = {
    specificationVersion: "v1",
    async recall(question, { limit }) {
      if (!tried.delete(question)) {
        tried.add(question);
        throw new ProviderError("MEMORY_BUSY", "not now", { retryable: true });
      }
      return [{ id: "earlier", text: `${question} was written before, one of ${limit}`, distance: null }];
    },
  };
  return { ...team, roles: { ...team.roles, coder: { ...team.roles["coder"]!, memory: { store, topK: 2 } } } };
}

function wrapped(executor: Executor, runStep: Executor["runStep"]): Executor {
  const { preflight } = executor;
  return {
    specificationVersion: "v1",
    runStep,
    ...(preflight ? { preflight: (team, options) => preflight.call(executor, team, options) } : {}),
  };
}

/** Each append takes its time, and none as long as the one before. */
function slowed(executor: Executor): Executor {
  let count = 0;
  return wrapped(executor, (step, host) =>
    executor.runStep(step, {
      ...host,
      async append(epoch, events) {
        await turns(3 - (count++ % 4));
        await host.append(epoch, events);
        await turns(count % 3);
      },
    }),
  );
}

async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setTimeout(resolve, 1));
}

/** Gives each step twice, as a platform does that is not sure whether it was taken. One of the two has to come through. */
function twice(executor: Executor): Executor {
  return wrapped(executor, async (step, host) => {
    const both = [executor.runStep(step, host), executor.runStep(step, host)];
    await Promise.allSettled(both);
    return await Promise.any(both);
  });
}

/** Does something to the worker that is at work when the run is at a place, just before the log takes what it says. */
function disturbedAt(place: number, executor: Executor, disturb: Disturb): Executor {
  let at = 0;
  return wrapped(executor, (step, host) => {
    const watched: StepHost = {
      ...host,
      async append(epoch, events) {
        const worker = events[0]?.payload.measured?.["worker"];
        if (typeof worker === "string" && ++at === place) await disturb(worker);
        await host.append(epoch, events);
      },
    };
    return executor.runStep(step, watched);
  });
}

/** Fails with the first event in which two runs differ. */
export function assertEqualRuns(expected: Pick<Trajectory, "events">, actual: Pick<Trajectory, "events">): void {
  const divergence = firstDivergence(expected.events, actual.events);
  assert.equal(divergence, null, `the runs differ: ${JSON.stringify(divergence, null, 2)}`);
}
