import { getEventListeners } from "node:events";
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../contracts/json.ts";
import { CircuitOpenError, InvalidInputError, ProviderError, SwarmError } from "../errors.ts";
import { fakeClock } from "../testing/fake-clock.ts";
import { createGuard, type GuardOptions } from "./create-guard.ts";

const transient = (retryAfterMs: number | null = null) =>
  new ProviderError("OVERLOADED", "busy", { retryable: true, retryAfterMs });
const permanent = () => new ProviderError("BAD_REQUEST", "wrong", { retryable: false });
const flush = () => new Promise((resolve) => setImmediate(resolve));

function setUp(options: GuardOptions = {}) {
  const clock = fakeClock();
  const guard = createGuard({ clock, random: () => 1, ...options });
  const notes: JsonObject[] = [];
  const abort = new AbortController();
  let made = 0;
  const call = (answers: (() => unknown)[], idempotent = true) =>
    guard.call({
      dependency: "llm",
      signal: abort.signal,
      idempotent,
      notice: (note) => notes.push(note),
      run: async () => {
        const answer = answers[Math.min(made++, answers.length - 1)]!();
        if (answer instanceof Error) throw answer;
        return answer;
      },
    });
  return { clock, guard, notes, abort, call, made: () => made };
}

async function settle<T>(promise: Promise<T>, clock: ReturnType<typeof fakeClock>): Promise<T | Error> {
  let done = false;
  const settled = promise.then(
    (value) => value,
    (error: Error) => error,
  );
  void settled.finally(() => (done = true));
  for (let turn = 0; turn < 50 && !done; turn++) {
    await flush();
    clock.advance(60_000);
  }
  return settled;
}

describe("retry", () => {
  test("a transient fault is tried at most four times in all", async () => {
    const { call, clock, made, notes } = setUp();
    expect(await settle(call([transient]), clock)).toBeInstanceOf(ProviderError);
    expect(made()).toBe(4);
    expect(notes.filter((note) => note["event"] === "retry")).toHaveLength(3);
  });
  test("an answer after two faults is given", async () => {
    const { call, clock, made } = setUp();
    expect(await settle(call([transient, transient, () => "answer"]), clock)).toBe("answer");
    expect(made()).toBe(3);
  });
  test.each([
    ["a permanent fault", permanent, true],
    ["a bug", () => new TypeError("x is undefined"), true],
    ["a transient fault of what may not be made twice", transient, false],
    ["a wait that is longer than the ceiling", () => transient(31_000), true],
  ])("%s is not retried", async (_, fault, idempotent) => {
    const { call, clock, made } = setUp();
    expect(await settle(call([fault], idempotent), clock)).toBeInstanceOf(Error);
    expect(made()).toBe(1);
  });
  test("a wait beyond the ceiling says when to come back", async () => {
    const { call, clock } = setUp();
    expect(await settle(call([() => transient(3_600_000)]), clock)).toMatchObject({
      code: "OVERLOADED",
      retryable: false,
      message: expect.stringContaining("come back in 3600 s"),
    });
  });
  test("back-off doubles up to its ceiling, and is never shorter than the provider asks", async () => {
    const { call, clock, made } = setUp({ baseMs: 100, maxMs: 150 });
    const answer = call([() => transient(120), transient, () => "answer"]);
    await flush();
    clock.advance(119);
    await flush();
    expect(made()).toBe(1);
    clock.advance(1);
    await flush();
    expect(made()).toBe(2);
    clock.advance(149);
    await flush();
    expect(made()).toBe(2);
    clock.advance(1);
    expect(await answer).toBe("answer");
  });
});

test.each([
  [{ retries: 4 }, "retries"],
  [{ retries: -1 }, "retries"],
  [{ retries: undefined }, "retries"],
  [{ baseMs: Number.NaN }, "baseMs"],
  [{ maxMs: 2 ** 31 }, "maxMs"],
  [{ failureThreshold: 0 }, "failureThreshold"],
  [{ retrys: 1 }, "retrys"],
])("refuses the policy %j", (policy, field) => {
  expect(() => createGuard(policy as GuardOptions)).toThrow(InvalidInputError);
  expect(() => createGuard(policy as GuardOptions)).toThrow(new RegExp(`^${field}: `));
});

describe("abort", () => {
  test("ends a back-off at once with its reason, and leaves no timer and no listener", async () => {
    const { call, clock, abort, made } = setUp();
    const answer = call([transient]).catch((error: Error) => error);
    await flush();
    expect(clock.pending).toBe(1);
    abort.abort(new SwarmError("ABORTED", "enough"));
    expect(await answer).toMatchObject({ message: "enough" });
    expect(made()).toBe(1);
    expect(clock.pending).toBe(0);
    expect(getEventListeners(abort.signal, "abort")).toHaveLength(0);
  });
  test("ends a call that does not listen", async () => {
    const { guard, abort } = setUp();
    const answer = guard.call({
      dependency: "x",
      signal: abort.signal,
      idempotent: true,
      notice() {},
      run: () => new Promise(() => {}),
    });
    setImmediate(() => abort.abort(new SwarmError("ABORTED", "enough")));
    await expect(answer).rejects.toThrowError("enough");
  });
  test("before the call: nothing is called", async () => {
    const { call, abort, made } = setUp();
    abort.abort(new SwarmError("ABORTED", "enough"));
    await expect(call([() => "answer"])).rejects.toThrowError("enough");
    expect(made()).toBe(0);
  });
});

describe("circuit breaker", () => {
  const failing = { retries: 0 };
  test("opens after three consecutive failures; then nothing is called", async () => {
    const { call, made, notes, guard } = setUp(failing);
    for (let i = 0; i < 3; i++) await expect(call([transient])).rejects.toBeInstanceOf(ProviderError);
    await expect(call([() => "answer"])).rejects.toBeInstanceOf(CircuitOpenError);
    expect(made()).toBe(3);
    expect(notes).toContainEqual({ event: "breaker", dependency: "llm", to: "open" });
    guard.dispose();
  });
  test("a failure counts once, after its retries; a success begins anew", async () => {
    const { call, clock, guard } = setUp({ retries: 1 });
    for (const answer of [transient, transient, () => "fine", transient, transient])
      await settle(call([answer]), clock);
    expect(await call([() => "answer"])).toBe("answer");
    guard.dispose();
  });
  test("permanent faults and aborts count for nothing", async () => {
    const { call, guard } = setUp(failing);
    for (let i = 0; i < 5; i++) await expect(call([permanent])).rejects.toThrowError("wrong");
    expect(await call([() => "answer"])).toBe("answer");
    guard.dispose();
  });
  test("permanent faults, aborts and the open circuit of another dependency do not begin the count anew", async () => {
    const { call, guard, notes } = setUp(failing);
    const aborted = () => new SwarmError("ABORTED", "enough");
    const nested = () => new CircuitOpenError("tools");
    for (const fault of [transient, permanent, transient, aborted, nested, transient])
      await call([fault]).catch(() => {});
    expect(notes).toEqual([{ event: "breaker", dependency: "llm", to: "open" }]);
    expect(guard.isOpen("llm")).toBe(true);
    guard.dispose();
  });
  test("a wait that is too long for any call counts, since the provider is in trouble", async () => {
    const { call, guard } = setUp(failing);
    for (let i = 0; i < 3; i++) await call([() => transient(3_600_000)]).catch(() => {});
    expect(guard.isOpen("llm")).toBe(true);
    guard.dispose();
  });
  describe("after its cool-down", () => {
    async function halfOpen() {
      const set = setUp({ ...failing, coolDownMs: 5 });
      for (let i = 0; i < 3; i++) await set.call([transient]).catch(() => {});
      await new Promise((resolve) => setTimeout(resolve, 15));
      return set;
    }
    const ends = (promise: Promise<unknown>) => promise.then(String, (error: Error) => error.constructor.name);
    const states = (notes: JsonObject[]) => notes.flatMap(({ event, to }) => (event === "breaker" ? [to] : []));

    test("exactly one probe goes through, and its success closes the circuit", async () => {
      const { call, made, notes, guard } = await halfOpen();
      const before = made();
      const answers = await Promise.all([1, 2, 3].map(() => ends(call([() => "answer"]))));
      expect(answers).toEqual(["answer", "CircuitOpenError", "CircuitOpenError"]);
      expect(made() - before).toBe(1);
      expect(await ends(call([() => "answer"]))).toBe("answer");
      expect(states(notes)).toEqual(["open", "half-open", "closed"]);
      guard.dispose();
    });

    test("how a call ends that began before is no answer of the probe", async () => {
      const { guard } = setUp({ ...failing, failureThreshold: 1, coolDownMs: 5 });
      const told: unknown[] = [];
      const call = (run: () => Promise<string>) =>
        guard.call({
          dependency: "llm",
          signal: new AbortController().signal,
          idempotent: true,
          notice: (note) => told.push(note["to"]),
          run,
        });
      const old = [permanent(), transient(), null].map((fault) => {
        const { promise, resolve, reject } = Promise.withResolvers<string>();
        const ended = call(() => promise).catch(() => {});
        return () => {
          if (fault) reject(fault);
          else resolve("late");
          return ended;
        };
      });
      await call(() => Promise.reject(transient())).catch(() => {});
      expect(guard.isOpen("llm")).toBe(true);
      await new Promise((resolve) => setTimeout(resolve, 15));
      expect(guard.isOpen("llm")).toBe(false);
      const probe = Promise.withResolvers<string>();
      const probing = call(() => probe.promise);
      for (const end of old) {
        await end();
        expect(guard.isOpen("llm")).toBe(true);
        expect(await ends(call(async () => "answer"))).toBe("CircuitOpenError");
      }
      probe.resolve("answer");
      expect(await probing).toBe("answer");
      expect(told).toEqual(["open", "half-open", "closed"]);
      guard.dispose();
    });

    test("a probe that fails opens it again", async () => {
      const { call, notes, guard } = await halfOpen();
      expect(await ends(call([transient]))).toBe("ProviderError");
      expect(await ends(call([() => "answer"]))).toBe("CircuitOpenError");
      expect(states(notes)).toEqual(["open", "half-open", "open"]);
      guard.dispose();
    });

    test("a probe that ends in a permanent fault leaves it half-open: the next call is the probe", async () => {
      const { call, notes, guard } = await halfOpen();
      expect(await ends(call([permanent]))).toBe("ProviderError");
      expect(states(notes)).toEqual(["open", "half-open"]);
      const answers = await Promise.all([1, 2].map(() => ends(call([() => "answer"]))));
      expect(answers).toEqual(["answer", "CircuitOpenError"]);
      expect(states(notes)).toEqual(["open", "half-open", "closed"]);
      guard.dispose();
    });
  });

  test("tells each transition to the call that brought it about, whoever shares the breaker", async () => {
    const { guard } = setUp({ ...failing, coolDownMs: 5 });
    const caller = () => {
      const told: unknown[] = [];
      const call = (run: () => Promise<string>) => {
        const options = { dependency: "llm", signal: new AbortController().signal, idempotent: true };
        return guard.call({ ...options, notice: (note) => told.push(note["to"]), run });
      };
      return { told, call };
    };
    const [failing3, slow, prober] = [caller(), caller(), caller()];
    const answer = Promise.withResolvers<string>();
    const waiting = slow.call(() => answer.promise);
    for (let n = 0; n < 3; n++) await failing3.call(() => Promise.reject(transient())).catch(() => {});
    await new Promise((resolve) => setTimeout(resolve, 15));
    expect(await prober.call(async () => "answer")).toBe("answer");
    answer.resolve("late");
    await waiting;
    expect([failing3.told, slow.told, prober.told]).toEqual([["open"], [], ["half-open", "closed"]]);
    guard.dispose();
  });

  test("dependencies have breakers of their own", async () => {
    const { call, guard } = setUp(failing);
    for (let i = 0; i < 3; i++) await call([transient]).catch(() => {});
    const other = guard.call({
      dependency: "other",
      signal: new AbortController().signal,
      idempotent: true,
      notice() {},
      run: async () => "answer",
    });
    expect(await other).toBe("answer");
    guard.dispose();
  });
});
