import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Executor } from "../contracts/executor.ts";
import type { LLMClient } from "../contracts/model.ts";
import type { Task } from "../contracts/task.ts";
import type { Team } from "../contracts/team.ts";
import { LocalExecutor } from "../engine/local-executor.ts";
import { ProviderError } from "../errors.ts";
import { createGuard } from "../guard/create-guard.ts";
import { fileLogStore } from "../log/file-log-store.ts";
import { parseLog } from "../log/parse-log.ts";
import { fakeClock } from "../testing/fake-clock.ts";
import { conformanceTask, conformanceTeam } from "../testing/team.ts";
import type { BatchOptions } from "./options.ts";
import { runBatch, startBatch } from "./run-batch.ts";

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "swarm-limits-"));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const tasks = (count: number) =>
  Array.from({ length: count }, (_, nth) => ({ task: { ...conformanceTask, id: `t${nth}` } as Task }));
const options = (team: Team): BatchOptions & { concurrency: number } => ({
  folder: join(root, "night"),
  concurrency: 8,
  retryWaitMs: 1,
  run: { team, sandbox: team.defaults.sandbox(), store: fileLogStore(join(root, "runs")) },
});

/** The conformance team with a model that tells when it is called, and may be changed. */
function calling(change: Partial<LLMClient> = {}): { team: Team; at: number[] } {
  const team = conformanceTeam();
  const at: number[] = [];
  const roles = Object.entries(team.roles).map(([name, role]) => {
    const [model] = role.models;
    const complete: LLMClient["complete"] = (...call) => {
      at.push(Date.now());
      return (change.complete ?? model.complete)(...call);
    };
    return [name, { ...role, models: [{ ...model, ...change, complete }] as const }];
  });
  return { team: { ...team, roles: Object.fromEntries(roles) }, at };
}

const events = () =>
  readdirSync(join(root, "runs"))
    .filter((name) => name.endsWith(".jsonl"))
    .flatMap((name) => parseLog(readFileSync(join(root, "runs", name))).events);

describe("the rate of a provider", () => {
  test("holds over all runs", async () => {
    const { team, at } = calling();
    const rates = { scripted: { requestsPerMinute: 3_000 } };
    expect(await runBatch(tasks(4), { ...options(team), rates })).toMatchObject({ settled: 4, passed: 4 });
    expect(at.length).toBeGreaterThan(32);
    const [first, last] = [Math.min(...at), Math.max(...at)];
    // 50 a second, a second's worth at the start, and the one that goes into debt
    expect(at.length).toBeLessThanOrEqual(((last - first + 2) / 1_000) * 50 + 51);
  });

  test("counts tokens as they were in the end, and leaves other providers alone", async () => {
    const { team } = calling();
    const rates = { scripted: { tokensPerMinute: 600_000 }, other: { requestsPerMinute: 1 } };
    const given = options(team);
    // 8,192 are reserved for each answer and 10,000 may begin: as no time passes, the second call waits for what the first gives back
    const run = { ...given.run, clock: fakeClock() };
    expect(await runBatch(tasks(4), { ...given, run, rates })).toMatchObject({ passed: 4 });
  });

  test("waits for as long as the provider asked one caller to wait", async () => {
    let asked = 0;
    let first = true;
    const { team, at } = calling({
      async complete(...call) {
        if (first) {
          first = false;
          asked = Date.now();
          throw new ProviderError("RATE_LIMITED", "not so fast", { retryable: true, retryAfterMs: 300 });
        }
        return await conformanceTeam().roles["coder"]!.models[0].complete(...call);
      },
    });
    const guard = createGuard({ baseMs: 1 });
    const given = options(team);
    const report = await runBatch(tasks(3), { ...given, concurrency: 3, run: { ...given.run, guard } });
    guard.dispose();
    expect(report).toMatchObject({ passed: 3 });
    const meanwhile = at.filter((time) => time > asked + 50 && time < asked + 290);
    expect(meanwhile).toEqual([]);
  });

  test("does not keep an abort waiting", async () => {
    const { team, at } = calling();
    const batch = startBatch(tasks(3), { ...options(team), rates: { scripted: { requestsPerMinute: 1 } } });
    const began = Date.now();
    setTimeout(() => batch.abort("enough"), 200);
    expect(await batch.result).toMatchObject({ settled: 0, unsettled: { aborted: 3 } });
    expect(at).toHaveLength(1);
    expect(Date.now() - began).toBeLessThan(30_000);
  });
});

test("no more steps of a team are under way than it may have", async () => {
  const { team } = calling();
  let running = 0;
  let most = 0;
  const local = new LocalExecutor();
  const counting: Executor = {
    specificationVersion: "v1",
    async runStep(step, host) {
      most = Math.max(most, ++running);
      try {
        await new Promise(setImmediate);
        return await local.runStep(step, host);
      } finally {
        running -= 1;
      }
    },
  };
  const given = options(team);
  const run = { ...given.run, executor: counting };
  await runBatch(tasks(4), { ...given, run, teamConcurrency: { conformance: 2, other: 1 } });
  expect(most).toBe(2);
  most = 0;
  await runBatch(tasks(4), { ...given, folder: join(root, "day"), run });
  expect(most).toBeGreaterThan(2);
});

describe("the budget of a batch", () => {
  /** A call costs a hundredth of a cent, and has nine reserved for it. */
  const price = { input: 1, output: 0.1 };

  test("is not overrun by calls under way, and runs that it cut off go on with more", async () => {
    const { team, at } = calling({ price });
    const usd = 0.004;
    const first = await runBatch(tasks(6), { ...options(team), usd });
    expect(first.usd).toBeLessThanOrEqual(usd);
    expect(first.usd).toBeGreaterThan(usd / 2); // what calls under way might cost keeps nobody from the rest for good
    expect(first.settled).toBeLessThan(6);
    expect(first.outcomes["budget"]).toBeUndefined();
    const before = at.length;
    expect(await runBatch(tasks(6), { ...options(team), usd: 1, resume: true })).toMatchObject({
      settled: 6,
      passed: 6,
    });
    const begins = events().filter(({ payload }) => payload.type === "begin" && payload.call.op === "model");
    expect(at.length).toBeGreaterThan(before);
    expect(at.length).toBeLessThanOrEqual(begins.length); // none was made without the log's knowledge, or twice
  });

  test("counts what the rows of a resumed batch spent, and once", async () => {
    const { team } = calling({ price });
    const whole = (await runBatch(tasks(1), { ...options(team), folder: join(root, "one") })).usd!;
    expect((await runBatch(tasks(4), { ...options(team), usd: whole * 2 })).usd).toBeGreaterThan(whole);
    const again = await runBatch(tasks(4), { ...options(team), usd: whole * 4 + 0.0018, resume: true });
    expect(again).toMatchObject({ settled: 4, passed: 4 });
  });
});
