import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { codeswarm } from "@swarm/agents";
import {
  type Executor,
  fileLogStore,
  firstDivergence,
  type LLMClient,
  LocalExecutor,
  memoryLogStore,
  replayRun,
  runTask,
  type Trajectory,
} from "@swarm/core";
import { assertSoundRun } from "@swarm/core/testing";
import { ProcessExecutor } from "@swarm/executors";
import { localSandbox } from "@swarm/sandbox";
import { builtinTasks, type LoadedTask, loadTask, mockModel } from "@swarm/tasks";
import { afterAll, describe, expect, test } from "vitest";

const folder = mkdtempSync(join(tmpdir(), "swarm-main-job-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const store = join(folder, "objects");
/** What right work is: where the network cannot be cut off, one check of the oracle is not made. */
const RIGHT = localSandbox({ store }).tier === "bubblewrap" ? "verified" : "passed";
async function run(
  { task }: LoadedTask,
  model: LLMClient,
  executor: Executor = new LocalExecutor(),
  store_ = memoryLogStore(),
): Promise<Trajectory> {
  const options = { team: codeswarm({ model }), executor, store: store_, sandbox: localSandbox({ store }) };
  const trajectory = await runTask(task, options);
  assertSoundRun(trajectory);
  return trajectory;
}

/** The run that plays a task's script, once for all tests of it. */
const played = new Map<string, ReturnType<typeof play>>();
function playedRun(id: string) {
  const run = played.get(id) ?? play(id);
  played.set(id, run);
  return run;
}

async function play(id: string) {
  const loaded = await loadTask(id);
  const model = mockModel(loaded);
  return { loaded, model, trajectory: await run(loaded, model) };
}

/** What a run does, in the order of the loop. */
function storyOf({ events }: Trajectory): string[] {
  return events.flatMap(({ kind, agent, payload }): string[] => {
    if (
      payload.type === "end" &&
      kind === "test" &&
      payload.value !== null &&
      typeof payload.value === "object" &&
      "tests" in payload.value
    ) {
      const { tests, fault } = payload.value as { tests: { status: string }[]; fault: unknown };
      return [fault === null && tests.every(({ status }) => status === "passed") ? "tests pass" : "tests fail"];
    }
    if (payload.type === "begin" && payload.call.op === "model") return [agent ?? ""];
    if (payload.type === "verdict") return [payload.verdict.outcome];
    return payload.type === "recovered" ? [payload.how] : [];
  });
}

const tasks = await builtinTasks();

describe("every built-in task", () => {
  test.for(tasks.map(({ id }) => id))(
    "%s: plan, code, failing test, review, repair, passing test, verdict",
    async (id) => {
      const { model, trajectory } = await playedRun(id);
      expect(trajectory.verdict).toMatchObject({ passed: true, outcome: RIGHT, oracle: "given" });
      const story = storyOf(trajectory).filter((entry, index, all) => entry !== all[index - 1]);
      expect(story).toEqual(["planner", "coder", "tests fail", "reviewer", "hint", "coder", "tests pass", RIGHT]);
      model.assertComplete();
    },
  );
});

describe("two runs of one task", () => {
  const executors: [string, () => Executor][] = [
    ["local", () => new LocalExecutor()],
    [
      "worker processes",
      () =>
        new ProcessExecutor({
          module: new URL("worker-team.ts", import.meta.url),
          execArgv: ["--conditions=@swarm/source"],
          env: { SWARM_TEST_STORE: store },
        }),
    ],
  ];
  test.for(
    ["linked-list", "csv-to-json", "http-api", "rate-limiter"].flatMap((id) =>
      executors.map(([name, executor]) => [id, name, executor] as const),
    ),
  )("%s, %s: equal logs", async ([id, , executor]) => {
    const { loaded, trajectory: first } = await playedRun(id);
    const second = await run(loaded, mockModel(loaded), executor());
    expect(firstDivergence(first.events, second.events)).toBeNull();
    expect(second.verdict).toEqual(first.verdict);
  });
});

test("a replay runs the tools and tests again, calls no model and shows no divergence", async () => {
  const loaded = await loadTask("shopping-cart");
  const logs = fileLogStore(join(folder, "runs"));
  const { runId } = await run(loaded, mockModel(loaded), new LocalExecutor(), logs);
  const silent: LLMClient = { ...mockModel(loaded), complete: () => Promise.reject(new Error("the model was called")) };
  const { divergence, trajectory } = await replayRun(runId, {
    team: codeswarm({ model: silent }),
    store: logs,
    sandbox: localSandbox({ store }),
  });
  expect(divergence).toBeNull();
  expect(trajectory.verdict.outcome).toBe(RIGHT);
});

test.for(["linked-list", "binary-search-tree"])(
  "%s: a solution that is wrong for ever ends at its bound, with one signature",
  async (id) => {
    const loaded = await loadTask(id);
    const [first, second] = [
      await run(loaded, mockModel(loaded, { story: "never" })),
      await run(loaded, mockModel(loaded, { story: "never" })),
    ];
    expect(first.verdict).toMatchObject({ passed: false, outcome: "failed" });
    expect(first.step("run/implement")?.result?.attempts).toBe(4);
    expect(first.failureSignature).toMatch(/^\w+\|implement\|/);
    expect(second.failureSignature).toBe(first.failureSignature);
    expect(first.state.label).toBe("best");
  },
);
