import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Executor, memoryLogStore, runTask } from "@swarm/core";
import { assertEqualRuns, conformanceTask, conformanceTeam, executorConformance } from "@swarm/core/testing";
import { afterAll, describe, expect, test } from "vitest";
import { ProcessExecutor, type ProcessExecutorOptions } from "./process-executor.ts";

const store = mkdtempSync(join(tmpdir(), "swarm-executors-"));
afterAll(() => rmSync(store, { recursive: true, force: true }));

const module = import.meta.resolve("../../core/src/testing/team.ts");
const execArgv = ["--conditions=@swarm/source"];
const processExecutor = (options: Partial<ProcessExecutorOptions> = {}) =>
  new ProcessExecutor({ module, execArgv, ...options });
const run = (executor: Executor) =>
  runTask(conformanceTask, { team: conformanceTeam({ store }), store: memoryLogStore(), executor });

const disturb = (signal: NodeJS.Signals) => (worker: string) => {
  process.kill(Number(worker), signal);
};
const workers = {
  kill: disturb("SIGKILL"),
  freeze: disturb("SIGSTOP"),
  thaw() {}, // it was killed when its lease was over
  drain: disturb("SIGTERM"), // each attempt has a process of its own: there is nothing to wait for
};

describe("the process executor", () => {
  const cases = executorConformance({ executor: processExecutor, store, workers, places: [2, 15] });
  for (const { name, run } of cases) test(name, run);
});

describe("a worker that is lost", () => {
  test("is told of in the log, as no part of the work", async () => {
    let lost = 0;
    const executor = processExecutor({ onWorker: (pid) => lost++ === 0 && process.kill(pid, "SIGKILL") });
    const { events } = await run(executor);
    const redelivered = events.filter(({ payload }) => payload.type === "recovered" && payload.how === "redelivered");
    expect(redelivered).toMatchObject([{ key: null, payload: { detail: { delivery: 1, lost: "ended by SIGKILL" } } }]);
  });

  test("again and again: the run ends with the reason", async () => {
    const { verdict } = await run(
      processExecutor({ maxDeliveries: 2, onWorker: (pid) => process.kill(pid, "SIGKILL") }),
    );
    expect(verdict.outcome).toBe("infra-error");
    expect(verdict.reasons[0]).toContain("delivered 2 times");
  });
});

test("a module that makes no team is refused before the run begins", async () => {
  const executor = processExecutor({ module: import.meta.resolve("./protocol.ts") });
  await expect(run(executor)).rejects.toMatchObject({ code: "TEAM_MODULE" });
});

test("a worker retries as often as it is told to", async () => {
  const guard = { retries: 2, baseMs: 1, failureThreshold: 100 };
  const executor = processExecutor({ module: import.meta.resolve("../test/unreachable-team.ts"), guard });
  const { events } = await run(executor);
  const model = events.filter(({ payload }) => payload.type === "begin" && payload.call.op === "model");
  const retries = events.filter(({ payload }) => payload.type === "note" && payload.note["event"] === "retry");
  expect(model.length).toBeGreaterThan(0);
  expect(retries).toHaveLength(2 * model.length);
});

test("a worker takes the run's secrets out of what its program sees", async () => {
  const options = { team: conformanceTeam({ store }), secrets: ["It has to say right."] };
  const [local, other] = [
    await runTask(conformanceTask, { ...options, store: memoryLogStore() }),
    await runTask(conformanceTask, { ...options, store: memoryLogStore(), executor: processExecutor() }),
  ];
  assertEqualRuns(local, other);
  expect(other.toJsonl()).not.toContain("It has to say right.");
});

test("a worker is given PATH and what it was promised, and no other variable", async () => {
  process.env["SWARM_TEST_SECRET"] = "secret";
  try {
    const executor = processExecutor({
      module: "data:text/javascript,export function makeTeam() { throw new Error(Object.keys(process.env).join()) }",
    });
    const error = await run(executor).then(
      () => "no error",
      (thrown: Error) => thrown.message,
    );
    expect(error).toContain("PATH");
    expect(error).not.toContain("SWARM_TEST_SECRET");
  } finally {
    delete process.env["SWARM_TEST_SECRET"];
  }
});
