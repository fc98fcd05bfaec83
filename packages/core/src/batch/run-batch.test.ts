import { spawnSync } from "node:child_process";
import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { LLMClient } from "../contracts/model.ts";
import type { Snapshots } from "../contracts/sandbox.ts";
import type { Task } from "../contracts/task.ts";
import type { Team } from "../contracts/team.ts";
import { trajectoryOf } from "../engine/trajectory.ts";
import { ProviderError, SandboxError } from "../errors.ts";
import { fileLogStore } from "../log/file-log-store.ts";
import { memoryLogStore } from "../log/memory-log-store.ts";
import { parseLog } from "../log/parse-log.ts";
import { conformanceTask, conformanceTeam } from "../testing/team.ts";
import { rateOf } from "./interval.ts";
import { batchJournalOf } from "./journal.ts";
import type { BatchEvent, BatchOptions } from "./options.ts";
import { isSettled } from "./row.ts";
import { runBatch, startBatch } from "./run-batch.ts";

let root: string;
let folder: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "swarm-batch-"));
  folder = join(root, "night");
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const tasks = (...ids: string[]) => ids.map((id) => ({ task: { ...conformanceTask, id } as Task }));
const rows = () =>
  readFileSync(batchJournalOf(folder), "utf8")
    .trim()
    .split("\n")
    .slice(1)
    .map((line) => JSON.parse(line));
const options = (team: Team = conformanceTeam()): BatchOptions => ({
  folder,
  retryWaitMs: 1,
  run: { team, sandbox: team.defaults.sandbox(), store: memoryLogStore() },
});
const BROKEN = conformanceTeam({ broken: true });

/** The conformance team with another model. */
function withModel(change: (model: LLMClient) => Partial<LLMClient>): Team {
  const team = conformanceTeam();
  const roles = Object.entries(team.roles).map(([name, role]) => {
    const model = role.models[0];
    return [name, { ...role, models: [{ ...model, ...change(model) }] as const }];
  });
  return { ...team, roles: Object.fromEntries(roles) };
}

describe("a batch", () => {
  test("runs each task as often as it should, and tells what came of it", async () => {
    const broken = { task: { ...conformanceTask, id: "c" }, run: { team: BROKEN, sandbox: BROKEN.defaults.sandbox() } };
    const report = await runBatch([...tasks("a", "b"), broken], { ...options(), repeat: 2 });
    expect(report).toMatchObject({
      batchId: "night",
      settled: 6,
      passed: 4,
      passRate: { rate: 4 / 6 },
      outcomes: { verified: 4, failed: 2 },
      solvedTasks: 2,
      recovered: 4,
      unsettled: { infrastructure: 0, refused: 0, aborted: 0 },
      usd: null, // the model has no price
    });
    expect(report.failures[0]).toEqual({
      signature: "CheckFailed|write|main.txt|main",
      faultClass: "CheckFailed",
      count: 8, // once in each run that passed, twice in those that did not
      recovered: 4,
      tasks: ["a", "b", "c"],
    });
    expect(report.faultClasses[0]).toEqual({ faultClass: "CheckFailed", signatures: 1, count: 8, recovered: 4 });
    expect(
      rows()
        .map(({ runId }) => runId)
        .sort(),
    ).toEqual(["a", "b", "c"].flatMap((id) => [`night.${id}.1`, `night.${id}.2`]));
  });

  test("takes tasks as there is room for them, and never more at once than it may", async () => {
    let taken = 0;
    let running = 0;
    let most = 0;
    async function* endless() {
      for (;;) yield { task: { ...conformanceTask, id: `t${taken++}` } };
    }
    const batch = startBatch(endless(), { ...options(), concurrency: 3 });
    let finished = 0;
    batch.on((event) => {
      if (event.type === "started") most = Math.max(most, ++running);
      if (event.type === "finished") {
        running -= 1;
        if (++finished === 10) batch.drain();
      }
    });
    const { settled } = await batch.result;
    expect([most, settled]).toEqual([3, 12]);
    expect(taken).toBeLessThanOrEqual(13);
  });

  test("makes no call beyond its budget, cuts off the run that wanted one, and begins no more", async () => {
    const team = withModel(() => ({ price: { input: 1, output: 0 } })); // 100 tokens a call, 8 calls a run and more
    const events: BatchEvent[] = [];
    const batch = startBatch(tasks("a", "b", "c", "d", "e"), { ...options(team), concurrency: 1, usd: 0.0012 });
    batch.on((event) => events.push(event));
    const { settled, passed, usd, usdPerSolvedTask } = await batch.result;
    expect([settled, passed]).toEqual([1, 1]);
    expect(usd).toBeLessThanOrEqual(0.0012);
    expect(usdPerSolvedTask).toBeCloseTo(usd!);
    const reason = "the budget of $0.0012 is spent";
    expect(events).toContainEqual({ type: "draining", reason });
    expect(rows()).toMatchObject([{ outcome: "verified" }, { outcome: "aborted", reason }]);
    await expect(runBatch(tasks("f"), { ...options(), folder: join(root, "unpriced"), usd: 1 })).resolves.toMatchObject(
      {
        settled: 0,
        unsettled: { refused: 1 },
      },
    );
  });

  test("goes on although a task is refused, and says why", async () => {
    const report = await runBatch([{ task: { ...conformanceTask, id: "x", prompt: "" } }, ...tasks("a")], options());
    expect(report).toMatchObject({ settled: 1, passed: 1, unsettled: { refused: 1 } });
    expect(rows()[0]).toMatchObject({ taskId: "x", outcome: null, reason: expect.stringMatching(/^prompt: /) });
  });

  test("refuses two tasks with one id, once what is under way has ended", async () => {
    const refused = runBatch(tasks("a", "a"), options());
    await expect(refused).rejects.toMatchObject({ field: "tasks", message: expect.stringContaining("id a") });
    expect(rows()).toHaveLength(1);
  });

  test.each([
    ["repeat", { repeat: 0 }],
    ["concurrency", { concurrency: 1.5 }],
    ["usd", { usd: 0 }],
    ["rates.a.requestsPerMinute", { rates: { a: { requestsPerMinute: 0 } } }],
    ["teamConcurrency.a", { teamConcurrency: { a: 0.5 } }],
    ["concurency", { concurency: 2 } as object],
    ["folder", { folder: "no blank" }],
  ])("refuses a wrong %s, and makes nothing", async (field, wrong) => {
    const given = { ...options(), ...wrong };
    await expect(async () => runBatch(tasks("a"), given)).rejects.toMatchObject({ code: "INVALID_INPUT", field });
    expect(existsSync(folder)).toBe(false);
  });

  test("cuts a long task's id in its run's, which stays unique", async () => {
    const long = "x".repeat(127);
    await runBatch(tasks(`${long}1`, `${long}2`), options());
    const [first, second] = rows().map(({ runId }) => runId);
    expect(first).toHaveLength(120);
    expect(first).not.toBe(second);
  });

  test("goes on although a listener throws", async () => {
    const warned = new Promise((resolve) => process.once("warning", resolve));
    const batch = startBatch(tasks("a"), options());
    batch.on(() => {
      throw new Error("odd");
    });
    expect((await batch.result).passed).toBe(1);
    expect(await warned).toMatchObject({ message: "a listener of a batch failed: odd" });
  });
});

describe("what the machinery fails", () => {
  /** A provider that is out for the first `calls` calls. */
  const outage = (calls: number) => {
    let left = calls;
    return withModel(({ complete }) => ({
      complete(...call) {
        if (left-- > 0) throw new ProviderError("OVERLOADED", "come back later", { retryable: false });
        return complete(...call);
      },
    }));
  };

  test("is made again under a log of its own, and is no failure", async () => {
    const waits: number[] = [];
    const batch = startBatch(tasks("a"), { ...options(outage(2)) });
    batch.on((event) => {
      if (event.type === "retrying") waits.push(event.waitMs);
    });
    const report = await batch.result;
    expect(report).toMatchObject({ settled: 1, passed: 1, retried: 2, outcomes: { verified: 1 } });
    expect(report.failures.map(({ signature }) => signature)).toEqual([
      "CheckFailed|write|main.txt|main",
      "LOST|once|-|-", // of the branch that did not win
    ]);
    expect(rows()).toMatchObject([{ runId: "night.a.1.again-2", lost: { runs: 2 } }]);
    expect(waits).toEqual([1, 2]);
  });

  test("is given up after its retries, and made again by a resume", async () => {
    const given = { ...options(outage(3)), infrastructureRetries: 1 };
    expect(await runBatch(tasks("a"), given)).toMatchObject({
      settled: 0,
      passRate: null,
      unsettled: { infrastructure: 1 },
    });
    expect(await runBatch(tasks("a"), { ...given, resume: true })).toMatchObject({
      settled: 1,
      passed: 1,
      retried: 3,
      unsettled: { infrastructure: 0 },
    });
  });

  test("may be a sandbox that does not open", async () => {
    let left = 1;
    const given = options();
    const { sandbox } = given.run;
    const snapshots = {
      ...sandbox!.snapshots,
      async put(...source: Parameters<NonNullable<typeof sandbox>["snapshots"]["put"]>) {
        if (left-- > 0) throw new SandboxError("no room");
        return sandbox!.snapshots.put(...source);
      },
    };
    const run = { ...given.run, sandbox: { ...sandbox!, snapshots } };
    expect(await runBatch(tasks("a"), { ...given, run })).toMatchObject({ passed: 1, retried: 1 });
  });
});

describe("a batch that goes on", () => {
  test("makes no run again that came to its end, and finishes the one that was cut off", async () => {
    let calls = 0;
    let stop = () => {};
    const team = withModel(({ complete }) => ({
      complete(...call) {
        if (++calls === 15) stop();
        return complete(...call);
      },
    }));
    const run = { team, sandbox: team.defaults.sandbox(), store: fileLogStore(join(root, "runs")) };
    const given = { folder, run, concurrency: 1 };
    const first = startBatch(tasks("a", "b", "c"), given);
    stop = () => first.abort("enough");
    expect(await first.result).toMatchObject({ settled: 1, unsettled: { aborted: 1 } });
    const log = (id: string) => readFileSync(join(root, "runs", `night.${id}.1.jsonl`), "utf8");
    const [done, cut] = [log("a"), log("b")];
    const resumed = await runBatch(tasks("a", "b", "c"), { ...given, resume: true });
    expect(resumed).toMatchObject({ settled: 3, passed: 3, unsettled: { aborted: 0 } });
    expect(log("a")).toBe(done);
    expect(log("b").startsWith(cut)).toBe(true);
    expect(rows().map(({ taskId, outcome }) => [taskId, outcome])).toEqual([
      ["a", "verified"],
      ["b", "aborted"],
      ["b", "verified"],
      ["c", "verified"],
    ]);
  });

  test("reads a run whose log has its verdict and whose row was lost", async () => {
    const given = options();
    await runBatch(tasks("a", "b"), { ...given, concurrency: 1 });
    const text = readFileSync(batchJournalOf(folder), "utf8");
    writeFileSync(batchJournalOf(folder), text.slice(0, -20)); // a torn last line
    const started: string[] = [];
    const batch = startBatch(tasks("a", "b"), { ...given, resume: true });
    batch.on((event) => {
      if (event.type === "started") started.push(event.taskId);
    });
    expect(await batch.result).toMatchObject({ settled: 2, passed: 2 });
    expect(started).toEqual(["b"]);
    expect(readFileSync(batchJournalOf(folder), "utf8")).toBe(text);
  });

  test("ends where its journal finds the disk full, and has the rows that were whole", async () => {
    const ids = ["a", "b", "c", "d", "e", "f"];
    const program = `
      import { memoryLogStore, runBatch } from "@swarm/core";
      import { conformanceTask, conformanceTeam } from "@swarm/core/testing";
      const tasks = ${JSON.stringify(ids)}.map((id) => ({ task: { ...conformanceTask, id } }));
      const run = { team: conformanceTeam(), store: memoryLogStore() };
      await runBatch(tasks, { folder: ${JSON.stringify(folder)}, concurrency: 1, run }).catch((error) => {
        console.log(error.code + " " + error.message);
      });`;
    const node = [process.execPath, "--conditions=@swarm/source", "--input-type=module", "-e", program];
    const full = 'ulimit -f 2; exec "$@"'; // 1 kB
    const { stdout } = spawnSync("sh", ["-c", full, "sh", ...node], { cwd: import.meta.dirname, encoding: "utf8" });
    expect(stdout).toContain(`LOG_WRITE_FAILED ${batchJournalOf(folder)} could not be written: `);
    const report = await runBatch(tasks(...ids), { ...options(), resume: true });
    expect(report).toMatchObject({ settled: 6, passed: 6 });
    expect(rows().map(({ taskId }) => taskId)).toEqual(ids);
  });

  test("counts what was spent before", async () => {
    const team = withModel(() => ({ price: { input: 1, output: 0 } }));
    await runBatch(tasks("a"), options(team));
    const report = await runBatch(tasks("a", "b"), { ...options(team), resume: true, usd: 0.0001 });
    expect(report.settled).toBe(1);
  });

  describe("after a crash, within its budget", () => {
    const priced = withModel(() => ({ price: { input: 1_000, output: 1_000 } }));
    const spentBy = (...ids: string[]) =>
      ids.reduce((sum, id) => {
        const log = parseLog(readFileSync(join(root, "logs", `night.${id}.1.jsonl`)));
        return sum + trajectoryOf({ ...log, snapshots: {} as Snapshots, location: id }).usage.usd!;
      }, 0);

    /** What a crash leaves of runs that were all under way: no rows, and logs that end at a call to a model. */
    async function crashed(...ids: string[]): Promise<BatchOptions> {
      const given = { ...options(priced), concurrency: 1 };
      given.run.store = fileLogStore(join(root, "logs"));
      await runBatch(tasks(...ids), given);
      const [header] = readFileSync(batchJournalOf(folder), "utf8").split("\n");
      writeFileSync(batchJournalOf(folder), `${header}\n`);
      for (const id of ids) {
        const log = join(root, "logs", `night.${id}.1.jsonl`);
        const lines = readFileSync(log, "utf8").split("\n");
        const call = lines.findLastIndex((line) => line.includes('"type":"begin"') && line.includes('"op":"model"'));
        writeFileSync(log, `${lines.slice(0, call + 1).join("\n")}\n`);
      }
      return { ...given, resume: true };
    }

    test("waits for no call that the crash cut off", async () => {
      const given = await crashed("a");
      const report = await runBatch(tasks("a"), { ...given, usd: spentBy("a") });
      expect(report).toMatchObject({ settled: 0, unsettled: { aborted: 1 } });
      expect((await runBatch(tasks("a"), given)).passed).toBe(1);
    });

    test("counts runs that the crash cut off before the turn of each", async () => {
      const given = await crashed("a", "b", "c");
      const usd = spentBy("a", "b", "c");
      await runBatch(tasks("a", "b", "c"), { ...given, usd });
      expect(spentBy("a", "b", "c")).toBeLessThanOrEqual(usd);
      const room = usd + spentBy("a");
      await runBatch(tasks("a", "b", "c"), { ...given, usd: room });
      expect(spentBy("a", "b", "c")).toBeLessThanOrEqual(room);
      expect((await runBatch(tasks("a", "b", "c"), given)).passed).toBe(3);
    });
  });

  test("is refused without a word of it, by another plan, and where there is none", async () => {
    const given = { ...options(), plan: { tasks: "all" } };
    await expect(runBatch(tasks("a"), { ...given, resume: true })).rejects.toMatchObject({ code: "NOT_FOUND" });
    await runBatch(tasks("a"), given);
    await expect(runBatch(tasks("a"), given)).rejects.toMatchObject({ code: "BATCH_EXISTS", field: "folder" });
    const other = { ...given, resume: true, plan: { tasks: "some" } };
    await expect(runBatch(tasks("a"), other)).rejects.toMatchObject({
      ...{ code: "PLAN_MISMATCH", field: "plan" },
      message: 'plan: tasks was "all" when the batch was begun, and is "some"',
    });
  });

  test("does not go on with the run of another task that has its name", async () => {
    const given = options();
    await runBatch(tasks("a"), given);
    rmSync(folder, { recursive: true });
    const [{ task }] = tasks("a") as [{ task: Task }];
    const other = [{ task: { ...task, prompt: "something else" } }];
    await expect(runBatch(other, given)).rejects.toMatchObject({ code: "LOG_EXISTS" });
    const refused = await runBatch(other, { ...given, resume: true });
    expect(refused).toMatchObject({ settled: 0, unsettled: { refused: 1 } });
    expect(rows().at(-1).reason).toMatch(/^task: is not the one of the run night\.a\.1, /);
    expect((await runBatch(tasks("a"), { ...given, resume: true })).passed).toBe(1);
  });

  test("is not kept from other runs by a log that is damaged", async () => {
    const store = fileLogStore(join(root, "logs"));
    const given = { ...options(), concurrency: 1, run: { ...options().run, store } };
    await runBatch(tasks("a"), given);
    rmSync(folder, { recursive: true });
    const log = join(root, "logs/night.a.1.jsonl");
    writeFileSync(log, readFileSync(log, "utf8").replace('"tsIndex":3', '"tsIndex":4'));
    await expect(runBatch(tasks("a"), given)).rejects.toMatchObject({ code: "LOG_EXISTS" });
    const report = await runBatch(tasks("a", "b"), { ...given, resume: true });
    expect(report).toMatchObject({ settled: 1, passed: 1, unsettled: { refused: 1 } });
    expect(rows().find(({ taskId }) => taskId === "a").reason).toMatch(/line 5/);
  });

  test("is refused for fewer repetitions than there are, and goes on with more", async () => {
    const given = options();
    await runBatch(tasks("a"), { ...given, repeat: 2 });
    await expect(runBatch(tasks("a"), { ...given, resume: true })).rejects.toMatchObject({ field: "repeat" });
    expect((await runBatch(tasks("a"), { ...given, resume: true, repeat: 3 })).passed).toBe(3);
  });

  test("is refused by a name with a dot, which would leave open whose run is whose", async () => {
    await expect(runBatch(tasks("a"), { ...options(), folder: join(root, "a.b") })).rejects.toMatchObject({
      field: "folder",
    });
  });

  test("is refused while another is at it", async () => {
    const first = startBatch(tasks("a"), options());
    const second = new Promise((resolve) => {
      first.on(({ type }) => {
        if (type === "started")
          resolve(runBatch(tasks("b"), { ...options(), resume: true }).catch((error: unknown) => error));
      });
    });
    expect(await second).toMatchObject({ code: "LOG_BUSY" });
    expect((await first.result).passed).toBe(1);
  });

  test("is refused where its journal is damaged, by the line", async () => {
    await runBatch(tasks("a"), options());
    appendFileSync(batchJournalOf(folder), "{}\n");
    const refused = runBatch(tasks("a"), { ...options(), resume: true });
    await expect(refused).rejects.toMatchObject({ code: "LOG_DAMAGED", line: 3 });
  });
});

test("a run that only its own budget ended is a failure, and one that was cut off is none", () => {
  const settled = (["verified", "failed", "budget", "timeout", "aborted", "infra-error", null] as const).filter(
    (outcome) => isSettled({ outcome }),
  );
  expect(settled).toEqual(["verified", "failed", "budget", "timeout"]);
});

describe("the interval of a rate", () => {
  test.each([
    [0, 10, 0, 0.2775],
    [10, 10, 0.7225, 1],
    [81, 263, 0.2553, 0.3662], // the example of Newcombe, 1998
  ])("of %i in %i is that of the literature", (successes, runs, low, high) => {
    expect(rateOf(successes, runs)!.low).toBeCloseTo(low, 4);
    expect(rateOf(successes, runs)!.high).toBeCloseTo(high, 4);
  });

  test("holds the rate, within 0 and 1", () => {
    fc.assert(
      fc.property(fc.nat(500), fc.nat(500), (passed, others) => {
        const rate = rateOf(passed, passed + others);
        if (passed + others === 0) return rate === null;
        const { low, high } = rate!;
        return low >= 0 && low <= rate!.rate + 1e-12 && rate!.rate <= high + 1e-12 && high <= 1;
      }),
    );
  });
});
