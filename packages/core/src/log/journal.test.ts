import { describe, expect, test } from "vitest";
import type { Budget } from "../contracts/budget.ts";
import type { EventDraft, Payload, RunEvent } from "../contracts/event.ts";
import { faultOf } from "../contracts/fault.ts";
import { NO_TOKENS } from "../contracts/model.ts";
import { createRedactor } from "../redact.ts";
import { fakeClock } from "../testing/fake-clock.ts";
import { plainHeader } from "../testing/log-header.ts";
import { Journal } from "./journal.ts";
import { memoryLogStore } from "./memory-log-store.ts";

const header = { ...plainHeader, prices: { "a:priced": { input: 1, output: 10 }, "a:free": null } };

const never = new AbortController().signal;
const redact = createRedactor();

async function journal(
  limits: Partial<Budget> = {},
  roleLimits: Record<string, Partial<Budget>> = {},
  onEvent: (event: RunEvent) => void = () => {},
) {
  const clock = fakeClock();
  const abort = new AbortController();
  const writer = await memoryLogStore().create(header);
  const log = new Journal(
    { header, events: [] },
    { writer, clock, limits, roleLimits, redact, signal: abort.signal, onEvent },
  );
  return { log, clock, abort };
}

const note = (key: string | null, text: string): EventDraft => ({
  stepId: "run/a",
  key,
  kind: "agent",
  agent: null,
  payload: { type: "note", note: { text } },
});
const begin = (key: string, reserve = 100, model = "a:priced"): EventDraft => ({
  stepId: "run/a",
  key,
  kind: "agent",
  agent: "coder",
  payload: {
    type: "begin",
    call: { op: "model", model, thread: "coder", keep: 0, add: [], settings: "s", sha256: "x" },
    effect: "none",
    reserve: { ...NO_TOKENS, output: reserve },
  },
});
const end = (key: string, of: string, output: number): EventDraft => ({
  stepId: "run/a",
  key,
  kind: "agent",
  agent: "coder",
  payload: { type: "end", of, value: null, fault: null, snapshot: "11", tokens: { ...NO_TOKENS, output } },
});

describe("the fence", () => {
  test("a holder that was superseded can append nothing, not even an end", async () => {
    const { log } = await journal();
    const first = log.claim("run/a");
    await log.append([begin("0.0")], never, first.epoch);
    const second = log.claim("run/a");
    expect(second.recorded).toHaveLength(1);
    await expect(log.append([end("0.1", "0.0", 1)], never, first.epoch)).rejects.toMatchObject({ code: "FENCED" });
    await log.append([end("0.1", "0.0", 1)], never, second.epoch);
    expect(log.events).toHaveLength(2);
  });
});

describe("the past", () => {
  test("an event that is known is not written again", async () => {
    const { log } = await journal();
    await log.append([note("0.0", "took 12 ms")], never);
    await log.append([note("0.0", "took 99 ms")], never);
    expect(log.events).toHaveLength(1);
  });
  test("another event in its place is a divergence that shows both", async () => {
    const { log } = await journal();
    await log.append([note("0.0", "one")], never);
    await expect(log.append([note("0.0", "two")], never)).rejects.toThrowError(/one[\s\S]*two/);
  });
  test("ambient events may repeat", async () => {
    const { log } = await journal();
    await log.append([note(null, "retry"), note(null, "retry")], never);
    expect(log.events).toHaveLength(2);
  });
});

describe("the gate", () => {
  test("after an abort no call begins, and what has begun may end", async () => {
    const { log, abort } = await journal();
    await log.append([begin("0.0")], never);
    abort.abort();
    await expect(log.append([begin("0.2")], never)).rejects.toMatchObject({ code: "ABORTED" });
    await log.append([end("0.1", "0.0", 1)], never);
    expect(log.events).toHaveLength(2);
  });

  test("model calls are counted when they begin", async () => {
    const { log } = await journal({ modelCalls: 2 });
    await log.append([begin("0.0"), begin("0.1")], never);
    await expect(log.append([begin("0.2")], never)).rejects.toMatchObject({ code: "BUDGET" });
  });

  test("calls that begin together are charged together, or not at all", async () => {
    const { log } = await journal({ tokens: 250 });
    const three = [begin("0.0"), begin("0.1"), begin("0.2")];
    await expect(log.append(three, never)).rejects.toMatchObject({ code: "BUDGET" });
    expect(log.events).toEqual([]);
    expect(log.usage()).toMatchObject({ modelCalls: 0, output: 0 });
    await log.append(three.slice(0, 2), never);
    expect(log.usage()).toMatchObject({ modelCalls: 2, output: 200 });
  });

  test("a role's limit counts the calls that begin together", async () => {
    const { log } = await journal({}, { coder: { modelCalls: 1 } });
    await expect(log.append([begin("0.0"), begin("0.1")], never)).rejects.toMatchObject({ code: "BUDGET" });
    expect(log.events).toEqual([]);
  });

  test("a call reserves its tokens and gives back what it did not need", async () => {
    const { log } = await journal({ tokens: 150 });
    await log.append([begin("0.0", 100)], never);
    await expect(log.append([begin("0.2", 100)], never)).rejects.toMatchObject({ code: "BUDGET" });
    await log.append([end("0.1", "0.0", 10)], never);
    await log.append([begin("0.2", 100)], never);
    expect(log.usage().output).toBe(110);
  });

  test("a call that was refused costs nothing; one that was cut off may have cost all that it reserved", async () => {
    const { log } = await journal();
    const failed = (key: string, of: string, code: string): EventDraft => {
      const { tokens: _, ...payload } = end(key, of, 0).payload as Payload & { type: "end" };
      return { ...end(key, of, 0), payload: { ...payload, fault: faultOf({ code, message: "" }) } };
    };
    await log.append([begin("0.0", 100), failed("0.1", "0.0", "RATE_LIMITED")], never);
    expect(log.usage().output).toBe(0);
    await log.append([begin("0.2", 100), failed("0.3", "0.2", "CONNECTION")], never);
    expect(log.usage().output).toBe(100);
  });

  test("dollars are reserved by the header's prices, and a model without one makes the sum unknown", async () => {
    const { log } = await journal({ usd: 0.0015 });
    await log.append([begin("0.0", 100)], never);
    expect(log.usage().usd).toBeCloseTo(0.001);
    await expect(log.append([begin("0.2", 100)], never)).rejects.toMatchObject({ code: "BUDGET" });
    await log.append([begin("0.4", 100, "a:free")], never);
    expect(log.usage().usd).toBeNull();
  });

  test("a role has limits of its own, which others do not touch", async () => {
    const { log } = await journal({}, { coder: { modelCalls: 1 } });
    await log.append([begin("0.0"), { ...begin("0.1"), agent: "reviewer" }], never);
    await expect(log.append([begin("0.2")], never)).rejects.toMatchObject({
      code: "BUDGET",
      message: expect.stringContaining("role coder"),
    });
  });

  test("wall time is counted by the clock that was given", async () => {
    const { log, clock } = await journal({ wallMs: 1_000 });
    await log.append([begin("0.0")], never);
    clock.advance(1_001);
    await expect(log.append([begin("0.2")], never)).rejects.toMatchObject({ code: "TIMEOUT" });
  });
});

test("a resumed journal goes on with what was spent, and with the time that was used", async () => {
  const { log, clock } = await journal();
  clock.advance(700);
  await log.append([begin("0.0", 100)], never);
  const writer = await memoryLogStore().create(header);
  const options = {
    writer,
    clock: fakeClock(1e9),
    limits: { wallMs: 800 },
    roleLimits: {},
    redact,
    signal: never,
    onEvent() {},
  };
  const resumed = new Journal({ header, events: log.events }, options);
  expect(resumed.usage().output).toBe(100);
  expect(resumed.elapsedMs()).toBe(700);
});

test("a closed journal takes nothing more", async () => {
  const { log } = await journal();
  await log.close();
  await expect(log.append([note("0.0", "late")], never)).rejects.toMatchObject({ code: "ABORTED" });
});

test("what is no event is told by its place, without its value, and nothing of what came with it is written", async () => {
  const { log } = await journal();
  const odd: EventDraft = {
    ...note("0.1", ""),
    payload: { type: "note", note: { steps: [1, 2, 3, { result: { cb: (() => "a secret") as never } }] } },
  };
  const error = await log.append([note("0.0", "one"), odd], never).catch((error: Error) => error);
  expect(error).toMatchObject({
    code: "INVALID_EVENT",
    message: expect.stringContaining("payload.note.steps[3].result.cb"),
  });
  expect(String(error)).not.toContain("a secret");
  expect(log.events).toEqual([]);
});

test("whoever is told of an event may append in turn: each has its own place", async () => {
  let told = 0;
  const { log } = await journal({}, {}, () => {
    if (told++ === 0) void log.append([note(null, "in turn")], never);
  });
  await log.append([note("0.0", "one"), note("0.1", "two")], never);
  expect(log.events.map(({ tsIndex, key }) => [tsIndex, key])).toEqual([
    [0, "0.0"],
    [1, "0.1"],
    [2, null],
  ]);
});
