import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import {
  defineProgram,
  type Executor,
  type Json,
  JsonSchema,
  type LLMClient,
  memoryLogStore,
  ProviderError,
  runTask,
  startRun,
  type Team,
} from "@swarm/core";
import { assertEqualRuns, conformanceTask, conformanceTeam, scripted } from "@swarm/core/testing";
import { makeTeam } from "@swarm/core/testing/team";
import { type Carrier, createWorker, type Delivery, httpExecutor, listen, RemoteExecutor } from "@swarm/executors";
import { afterAll, describe, expect, test } from "vitest";
import { freePort } from "../../test/worker-pool.ts";

const store = mkdtempSync(join(tmpdir(), "swarm-worker-"));
afterAll(() => rmSync(store, { recursive: true, force: true }));

const known = {
  name: "conformance",
  version: "1",
  make: (config: Parameters<typeof conformanceTeam>[0]) =>
    makeTeam({ name: "conformance", version: "1", config: config! }),
};
const token = "a token that is long enough";
const team = () => conformanceTeam({ store });
const run = (carrier: Carrier, options = {}) => {
  const executor = new RemoteExecutor(carrier, { leaseMs: 5_000, ...options });
  return runTask(conformanceTask, { team: team(), store: memoryLogStore(), executor }).finally(() => executor.close());
};
const local = () => runTask(conformanceTask, { team: team(), store: memoryLogStore() });

/** A platform in this process: it gives each delivery to whoever `bring` is. */
const carrierOf = (bring: (delivery: Delivery) => Promise<unknown>, again = bring): Carrier => ({
  async submit(delivery) {
    void bring(delivery).catch(ignoreGone);
  },
  async submitAgain(delivery) {
    void again(delivery).catch(ignoreGone);
    return true;
  },
});

/** On a machine that is busy a run may be over before its worker has heard so. */
function ignoreGone(error: { code?: string; message: string }): void {
  if (error.code !== "GATE_UNREACHABLE" && error.message !== "fetch failed") throw error;
}

async function ask(delivery: Delivery, name: string, body: object, bearer = delivery.gate.token) {
  const answer = await fetch(`${delivery.gate.url}/v1/${name}`, {
    method: "POST",
    headers: { authorization: `Bearer ${bearer}` },
    body: JSON.stringify(body),
  });
  return {
    status: answer.status,
    body: (await answer.json()) as { value?: { epoch?: number }; error?: { code: string } },
  };
}

describe("a worker", () => {
  test("says what it serves and can run, and takes nothing once it drains", async () => {
    const can = { runners: ["pytest"], languages: ["python"] };
    const worker = createWorker({ teams: [known], id: "one", concurrency: 2, can });
    expect(worker.abilities()).toEqual({
      id: "one",
      teams: [{ name: "conformance", version: "1" }],
      tier: null,
      ...can,
      concurrency: 2,
      running: 0,
      draining: false,
    });
    await worker.drain();
    expect(worker.abilities().draining).toBe(true);
    await expect(worker.perform({} as Delivery)).rejects.toMatchObject({ code: "WORKER_DRAINING" });
  });

  test("refuses a step of a team that it does not have, naming both, and the run says so", async () => {
    const worker = createWorker({ teams: [{ ...known, name: "other", version: "7" }] });
    const { verdict } = await run(carrierOf((delivery) => worker.perform(delivery)));
    expect(verdict.outcome).toBe("infra-error");
    expect(verdict.reasons[0]).toContain("this worker serves other 7; the step is for conformance 1");
  });

  test("that leaves its attempt after its grace gives it to another one", async () => {
    const [first, second] = ["first", "second"].map((id) => createWorker({ teams: [known], id, concurrency: 9 }));
    let drained: Promise<void> | null = null;
    const carrier = carrierOf(
      (delivery) => {
        if (drained) return second!.perform(delivery);
        const performed = first!.perform(delivery).catch((error) => error.code);
        drained = setTimeout(5).then(() => first!.drain({ graceMs: 0 }));
        return performed;
      },
      (delivery) => second!.perform(delivery),
    );
    const other = await run(carrier, { leaseMs: 60_000 });
    assertEqualRuns(await local(), other);
    await drained;
  });

  test("that is brought the same delivery twice performs it once", async () => {
    const worker = createWorker({ teams: [known], concurrency: 9 });
    const other = await run(carrierOf((delivery) => Promise.all([worker.perform(delivery), worker.perform(delivery)])));
    assertEqualRuns(await local(), other);
    expect(other.events.some(({ payload }) => payload.type === "recovered" && payload.how === "redelivered")).toBe(
      false,
    );
  });

  test("tells what ended while its step goes on", async () => {
    const seen = Promise.withResolvers<void>();
    const waiting = defineProgram<Json, Json>({
      name: "waiting",
      input: JsonSchema,
      output: JsonSchema,
      async attempt(context) {
        await context.once("fact", async () => "told");
        await seen.promise; // on nothing but the end of that
        return context.done(null);
      },
    });
    const patient = (): Team => ({
      ...team(),
      programs: [waiting],
      workflow: async (run) => (await run.step(waiting, null)).ok,
    });
    const worker = createWorker({ teams: [{ ...known, make: patient }] });
    await using executor = new RemoteExecutor(carrierOf((delivery) => worker.perform(delivery)));
    const running = startRun(conformanceTask, { team: patient(), store: memoryLogStore(), executor });
    running.on("event", ({ payload }) => payload.type === "end" && payload.value === "told" && seen.resolve());
    expect((await running.result).step("run/waiting")?.result?.ok).toBe(true);
  });

  test("holds a circuit that opened over its attempts and runs", async () => {
    let asked = 0;
    const busy: LLMClient = {
      ...scripted("scripted:conformance", {}),
      async complete() {
        asked++;
        throw new ProviderError("OVERLOADED", "busy", { retryable: true });
      },
    };
    const make: typeof known.make = (config) => {
      const base = known.make(config);
      const roles = Object.entries(base.roles).map(([name, role]) => [name, { ...role, models: [busy] as const }]);
      return { ...base, roles: Object.fromEntries(roles) };
    };
    const worker = createWorker({ teams: [{ ...known, make }], concurrency: 2 });
    const guard = { retries: 0, failureThreshold: 1 };
    const told: unknown[] = [];
    for (const _ of [1, 2]) {
      const { events } = await run(
        carrierOf((delivery) => worker.perform(delivery)),
        { guard },
      );
      const ends = events.flatMap(({ agent, payload }) =>
        agent === "coder" && payload.type === "end" ? [payload] : [],
      );
      told.push(ends[0]?.fault?.code);
    }
    expect(told).toEqual(["OVERLOADED", "CIRCUIT_OPEN"]);
    expect(asked).toBe(2); // the coder's first call, and the reviewer's
    await worker.drain();
  });

  test("signs its events, and the log is the same", async () => {
    const worker = createWorker({ teams: [known], id: "signed", concurrency: 9 });
    const other = await run(carrierOf((delivery) => worker.perform(delivery)));
    const attempts = other.events.filter(({ payload }) => payload.type === "attempt");
    expect(attempts.map(({ payload }) => payload.measured?.["worker"])).toEqual(attempts.map(() => "signed"));
    assertEqualRuns(await local(), other);
  });
});

describe("the gate", () => {
  test("takes a delivery that says nothing of the step but where it is, and no word without its token", async () => {
    const worker = createWorker({ teams: [known], concurrency: 9 });
    const seen: Delivery[] = [];
    await run(
      carrierOf(async (delivery) => {
        seen.push(delivery);
        if (seen.length === 1) {
          expect(JSON.stringify(delivery).length).toBeLessThan(500);
          expect((await ask(delivery, "take", { claim: "a", worker: "w" }, "another")).status).toBe(410);
          const odd = { epoch: 1, nth: 0, appends: [[{ kind: "odd" }]], result: null };
          expect((await ask(delivery, "tell", odd)).body.error?.code).toBe("INVALID_INPUT");
        }
        await worker.perform(delivery);
      }),
    );
    expect((await fetch(`${seen[0]!.gate.url}/v1/take`).catch(() => null))?.status ?? 410).toBe(410); // it is closed
  });

  test("refuses a late result of a holder that was fenced", async () => {
    const worker = createWorker({ teams: [known], concurrency: 9 });
    const late: unknown[] = [];
    const other = await run(
      carrierOf(async (delivery) => {
        if (late.length > 0) return worker.perform(delivery);
        const zombie = await ask(delivery, "take", { claim: "a", worker: "zombie" });
        const { epoch } = (await ask(delivery, "take", { claim: "b", worker: "next" })).body.value!;
        const result = { ok: true, output: { before: 0, token: "forged" }, snapshot: "none", hint: null };
        late.push(await ask(delivery, "tell", { epoch: zombie.body.value!.epoch, nth: 0, appends: [], result }));
        late.push(await ask(delivery, "beat", { epoch: zombie.body.value!.epoch }));
        expect(epoch).toBe(zombie.body.value!.epoch! + 1);
        return worker.perform(delivery);
      }),
    );
    expect(late).toMatchObject([
      { status: 409, body: { error: { code: "FENCED" } } },
      { status: 200, body: { value: { stop: { code: "FENCED" } } } },
    ]);
    assertEqualRuns(await local(), other);
  });

  test("does not take the refusal of the older of two that take at once for the attempt's own", async () => {
    const workers = ["older", "newer"].map((id) => createWorker({ teams: [known], id, concurrency: 9 }));
    const [older, newer] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    let brought = 0;
    const carrier = carrierOf(async (delivery) => {
      if (brought++ > 0) return workers[1]!.perform(delivery);
      await ask(delivery, "take", { claim: "a", worker: "lost" });
      const first = workers[0]!.perform(delivery);
      await older.promise;
      await Promise.all([first, workers[1]!.perform(delivery)]);
    });
    await using far = new RemoteExecutor(carrier, { leaseMs: 5_000 });
    let claims = 0;
    const late: Executor = {
      specificationVersion: "v1",
      runStep: (step, host) =>
        far.runStep(step, {
          ...host,
          async claim(stepId) {
            const [nth, claim] = [++claims, await host.claim(stepId)];
            if (nth === 2) older.resolve();
            if (nth === 2) await newer.promise;
            if (nth === 3) newer.resolve();
            return claim;
          },
        }),
    };
    const other = await runTask(conformanceTask, { team: team(), store: memoryLogStore(), executor: late });
    assertEqualRuns(await local(), other);
  });

  test("knows a request that is sent again, and a copy that comes late", async () => {
    const worker = createWorker({ teams: [known], concurrency: 9 });
    let answers: unknown[] = [];
    const note = (text: string) => ({
      stepId: "run/write",
      key: null,
      kind: "agent",
      agent: null,
      payload: { type: "note", note: { text } },
    });
    const other = await run(
      carrierOf(async (delivery) => {
        if (answers.length === 0) {
          const taken = await ask(delivery, "take", { claim: "a", worker: "w" });
          const again = await ask(delivery, "take", { claim: "a", worker: "w" });
          const { epoch } = taken.body.value!;
          const tell = (nth: number, text: string) =>
            ask(delivery, "tell", { epoch, nth, appends: [[note(text)]], result: null });
          const told = [await tell(0, "a"), await tell(0, "a"), await tell(1, "b"), await tell(0, "a")];
          answers = [again.body.value!.epoch === epoch, ...told.map(({ status }) => status)];
        }
        return worker.perform(delivery);
      }),
    );
    expect(answers).toEqual([true, 200, 200, 200, 200]);
    const notes = other.events.flatMap(({ payload }) => (payload.type === "note" ? [payload.note["text"]] : []));
    expect(notes.filter((text) => text !== undefined)).toEqual(["a", "b"]);
  });

  test("keeps a call waiting for longer than a lease, and its worker knows", async () => {
    const worker = createWorker({ teams: [known], concurrency: 9 });
    await using far = new RemoteExecutor(
      carrierOf((delivery) => worker.perform(delivery)),
      { leaseMs: 400 },
    );
    let kept = false;
    const keeping: Executor = {
      specificationVersion: "v1",
      runStep: (step, host) =>
        far.runStep(step, {
          ...host,
          async append(epoch, events) {
            const call = events.some(({ payload }) => payload.type === "begin" && payload.call.op === "model");
            if (call && !kept) {
              kept = true;
              await setTimeout(1_000);
            }
            await host.append(epoch, events);
          },
        }),
    };
    const other = await runTask(conformanceTask, { team: team(), store: memoryLogStore(), executor: keeping });
    assertEqualRuns(await local(), other);
    expect(other.events.filter(({ payload }) => payload.type === "recovered" && payload.how === "redelivered")).toEqual(
      [],
    );
  });

  test("gives an attempt up that each of its workers is lost with", async () => {
    const lose = (delivery: Delivery) => ask(delivery, "take", { claim: `${Math.random()}`, worker: "poisoned" });
    const { verdict } = await run(carrierOf(lose), { leaseMs: 50, maxDeliveries: 2 });
    expect(verdict.outcome).toBe("infra-error");
    expect(verdict.reasons[0]).toContain("delivered 2 times");
  });

  test("gives an attempt up that no worker could begin for long", async () => {
    const error = { refused: false, code: "WORKER_GONE", message: "the disk is full", retryable: null };
    const refuse = async (delivery: Delivery) => {
      await ask(delivery, "failed", { epoch: null, error, again: true });
    };
    const given = { leaseMs: 60_000, maxDeliveries: 1, patienceMs: 300 }; // to be refused is not to be lost
    const { verdict, usage } = await run(carrierOf(refuse), given);
    expect(verdict.outcome).toBe("infra-error");
    expect(verdict.reasons[0]).toBe("no worker could begin the attempt for 300 ms; the last: the disk is full");
    expect(usage.modelCalls).toBe(0);
  });

  test("leaves an attempt with who has it where another worker cannot begin it", async () => {
    const worker = createWorker({ teams: [known], concurrency: 9 });
    const error = { refused: false, code: "WORKER_GONE", message: "the disk is full", retryable: null };
    const [first, again] = [{ seen: false }, [] as Delivery[]];
    const carrier = carrierOf(
      async (delivery) => {
        if (!first.seen) {
          first.seen = true;
          await ask(delivery, "take", { claim: "a", worker: "living" });
          await ask(delivery, "failed", { epoch: null, error, again: true });
          await setTimeout(600); // longer than it takes to look for another one
        }
        await worker.perform(delivery);
      },
      async (delivery) => void again.push(delivery),
    );
    assertEqualRuns(await local(), await run(carrier, { leaseMs: 60_000 }));
    expect(again).toEqual([]);
  });
});

describe("a worker that listens", () => {
  test("does so for others only with a token that is long enough", async () => {
    const worker = createWorker({ teams: [known] });
    await expect(listen(worker, { host: "0.0.0.0" })).rejects.toMatchObject({ code: "INVALID_INPUT", field: "token" });
    await expect(listen(worker, { token: "short" })).rejects.toMatchObject({ code: "INVALID_INPUT", field: "token" });
  });

  test("answers nobody without its token", async () => {
    const open = await listen(createWorker({ teams: [known] }), { token });
    expect((await fetch(`${open.url}/v1/worker`)).status).toBe(401);
    const authorization = { authorization: `Bearer ${token}` };
    expect((await fetch(`${open.url}/v1/worker`, { headers: authorization })).status).toBe(200);
    const odd = { method: "POST", headers: authorization, body: "{}" };
    expect((await fetch(`${open.url}/v1/deliveries`, odd)).status).toBe(400);
    await open.close();
  });

  test("is waited for before a run begins", async () => {
    const port = await freePort();
    await using executor = httpExecutor({ workers: [{ url: `http://127.0.0.1:${port}` }] });
    const waiting = runTask(conformanceTask, { team: team(), store: memoryLogStore(), executor });
    await setTimeout(300);
    const open = await listen(createWorker({ teams: [known], concurrency: 9 }), { port });
    expect((await waiting).verdict.outcome).toBe("verified");
    await open.close();
  });

  test("is missed before the run begins, with its address and the run's team named", async () => {
    const url = `http://127.0.0.1:${await freePort()}`;
    await using executor = httpExecutor({ workers: [{ url }], readyMs: 0 });
    const refused = runTask(conformanceTask, { team: team(), store: memoryLogStore(), executor });
    await expect(refused).rejects.toMatchObject({
      code: "NO_WORKER",
      message: expect.stringMatching(new RegExp(`${url}.*for conformance 1`)),
    });
  });

  test("is refused before the run begins where none serves its team, or none is there", async () => {
    const open = await listen(createWorker({ teams: [{ ...known, version: "0" }] }));
    await using executor = httpExecutor({ workers: [{ url: open.url }, { url: "http://127.0.0.1:9" }] });
    const refused = runTask(conformanceTask, { team: team(), store: memoryLogStore(), executor });
    await expect(refused).rejects.toThrow(/serve conformance 0; the run is for conformance 1; http:\/\/127.0.0.1:9/);
    await open.close();
  });
});
