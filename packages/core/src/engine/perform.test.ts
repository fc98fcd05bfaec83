import { Readable } from "node:stream";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { Done } from "../contracts/done.ts";
import { faultOf } from "../contracts/fault.ts";
import type { Json } from "../contracts/json.ts";
import type { LLMClient, ToolUse } from "../contracts/model.ts";
import type { AskRequest, AttemptContext } from "../contracts/program.ts";
import { defineProgram } from "../contracts/program.ts";
import type { TestRunner } from "../contracts/suite.ts";
import type { Role, RunContext, StepOptions, Team } from "../contracts/team.ts";
import type { Tool } from "../contracts/tool.ts";
import { CircuitOpenError, ProviderError, SandboxError } from "../errors.ts";
import { createGuard } from "../guard/create-guard.ts";
import { toJson } from "../json-value.ts";
import { costReport } from "../log/cost-report.ts";
import { writeLine } from "../log/log-line.ts";
import { memoryLogStore } from "../log/memory-log-store.ts";
import { parseLog } from "../log/parse-log.ts";
import { assertSoundRun } from "../testing/assert-sound-run.ts";
import { memorySandbox } from "../testing/memory-sandbox.ts";
import { scripted } from "../testing/scripted.ts";
import { conformanceTask, conformanceTeam } from "../testing/team.ts";
import { replayRun } from "./replay-run.ts";
import { resumeRun } from "./resume-run.ts";
import { runTask, startRun } from "./start-run.ts";

type Attempt = (context: AttemptContext<Json>) => Promise<Done<Json>>;

/** A team whose one step is `attempt`. */
function teamOf(attempt: Attempt, { role = {}, step = {} }: { role?: Partial<Role>; step?: StepOptions } = {}): Team {
  const base = conformanceTeam();
  const program = defineProgram<Json, Json>({ name: "do", input: z.json(), output: z.json(), attempt });
  const coder: Role = { ...base.roles["coder"]!, ...role };
  return {
    ...base,
    roles: { coder },
    programs: [program],
    async workflow(run: RunContext) {
      const result = await run.step(program, null, step);
      return result.ok ? result.output : { fault: result.fault };
    },
  };
}
const run = (team: Team) => runTask(conformanceTask, { team, store: memoryLogStore(), runId: "run" });
const reportOf = async (attempt: Attempt, options?: Parameters<typeof teamOf>[1]) =>
  (await run(teamOf(attempt, options))).report;
/** Asks once, and gives the answer as its output. */
const asking =
  (request: Partial<AskRequest> = {}, role = "coder"): Attempt =>
  async (context) =>
    context.done(toJson(await context.role(role).ask({ turns: [], ...request })));
const use = (tool: string, args = {}, id = "c0"): ToolUse => ({ type: "tool", id, tool, args });
const tool = (name: string, more: Partial<Tool<Record<string, never>>> = {}): Tool<Record<string, never>> => ({
  name,
  description: "",
  input: z.strictObject({}),
  effect: "none",
  idempotent: true,
  call: async () => ({ ok: true, output: name }),
  ...more,
});
const failing = (error: Error): LLMClient => ({ ...scripted("bad:model", {}), complete: () => Promise.reject(error) });

describe("tool calls", () => {
  test("an unknown tool and wrong arguments are results that say what would be right", async () => {
    const report = await reportOf(async (context) => {
      const { parts } = await context
        .role("coder")
        .use([use("fly"), use("read", { file: "x" }, "c1"), use("read", { path: "main.txt" }, "c2")]);
      return context.done(parts as Json);
    });
    expect(report).toMatchObject([
      { id: "c0", ok: false, output: expect.stringContaining("Your tools are: read, append") },
      { id: "c1", ok: false, output: expect.stringContaining("path") },
      { id: "c2", ok: true, output: "start\n" },
    ]);
  });

  test("a long output is head and tail in the log, and its whole is a blob", async () => {
    const output = Array.from({ length: 20_000 }, (_, index) => `${index}\n`).join("");
    const base = teamOf(
      async (context) => context.done((await context.role("coder").use([use("talk")])).parts as Json),
      {
        role: { tools: [tool("talk", { call: async () => ({ ok: true, output }) })] },
      },
    );
    const sandbox = memorySandbox();
    const { events, report } = await run({ ...base, defaults: { ...base.defaults, sandbox: () => sandbox } });
    expect(report).toMatchObject([{ output: expect.stringMatching(/^0\n.*left out.*19999\n$/s) }]);
    const end = events.find(({ kind, payload }) => kind === "tool" && payload.type === "end");
    const whole = await sandbox.blobs.get(String(end?.payload.measured?.["whole"]));
    expect(Buffer.from(whole).toString()).toBe(output);
  });

  test("neighbours without effect overlap, any other is alone, and results keep the order of the calls", async () => {
    const log: string[] = [];
    const slow = (name: string, turns: number, effect: "none" | "workspace" = "none") =>
      tool(name, {
        effect,
        async call() {
          log.push(`+${name}`);
          for (let turn = 0; turn < turns; turn++) await new Promise(setImmediate);
          log.push(`-${name}`);
          return { ok: true, output: name };
        },
      });
    const tools = [slow("a", 9), slow("b", 1), slow("w", 1, "workspace"), slow("c", 1)];
    const report = await reportOf(
      async (context) =>
        context.done(
          (await context.role("coder").use(["a", "b", "w", "c"].map((name) => use(name, {}, name)))).parts as Json,
        ),
      { role: { tools } },
    );
    expect(log).toEqual(["+a", "+b", "-b", "-a", "+w", "-w", "+c", "-c"]);
    expect((report as { id: string }[]).map(({ id }) => id)).toEqual(["a", "b", "w", "c"]);
  });

  test("one that throws is a result beside the others", async () => {
    const tools = [tool("good"), tool("bad", { call: () => Promise.reject(new Error("broken")) })];
    const report = await reportOf(
      async (context) =>
        context.done((await context.role("coder").use([use("good"), use("bad", {}, "c1")])).parts as Json),
      {
        role: { tools },
      },
    );
    expect(report).toMatchObject([{ ok: true }, { ok: false, output: "bad failed: broken" }]);
  });

  test("a broken sandbox is no result: it ends the attempt", async () => {
    const tools = [tool("bad", { call: () => Promise.reject(new SandboxError("gone")) })];
    const report = await reportOf(
      async (context) => context.done((await context.role("coder").use([use("bad")])).parts as Json),
      { role: { tools } },
    );
    expect(report).toMatchObject({ fault: { code: "SANDBOX_FAILED" } });
  });

  test("a role cannot change what its globs do not allow, and what it tried is undone", async () => {
    const report = await reportOf(
      async (context) => {
        const write = (path: string) => use("append", { path, text: "x" }, path);
        const { parts } = await context
          .role("coder")
          .use([write("src/a.txt"), write("tests/a.txt"), write("main.txt")]);
        return context.done({ parts, files: await context.files.list() } as Json);
      },
      { role: { writes: ["src/**", "!tests/**"] } },
    );
    expect(report).toMatchObject({
      parts: [{ ok: true }, { ok: false, output: expect.stringContaining("tests/a.txt") }, { ok: false }],
      files: ["checks.json", "main.txt", "src/a.txt"],
    });
  });

  test("a write of what is redacted is refused, so that no mark for a secret lands in a file", async () => {
    const key = `sk-${"a1".repeat(20)}`;
    const report = await reportOf(async (context) => {
      const { parts } = await context.role("coder").use([use("append", { path: "main.txt", text: `key = "${key}"` })]);
      return context.done({ parts, text: Buffer.from(await context.files.read("main.txt")).toString() } as Json);
    });
    expect(report).toMatchObject({
      parts: [{ ok: false, output: expect.stringContaining("Not done") }],
      text: "start\n",
    });
  });

  test("values that are no JSON become JSON, and secrets do not enter", async () => {
    const secret = `sk-${"a".repeat(40)}`;
    const trajectory = await run(
      teamOf(async (context) =>
        context.done(await context.once("x", async () => ({ secret, n: 1n }) as unknown as Json)),
      ),
    );
    expect(trajectory.report).toEqual({ secret: "[redacted-secret]", n: "[BigInt 1]" });
    expect(trajectory.toJsonl()).not.toContain(secret);
  });

  test("whatever a fact is made of, the run goes on and the log reads back what the program saw", async () => {
    const cycle: Record<string, unknown> = { name: "a" };
    cycle["self"] = cycle;
    const odd = {
      cycle,
      inToJson: { toJSON: () => 1n },
      inMap: new Map([["n", 1n]]),
      get behindGetter() {
        return 1n;
      },
      instance: new URL("https://a.example"),
      stream: Readable.from([]),
      set: new Set([1]),
      date: new Date(0),
      nothing: undefined,
      number: Number.NaN,
      surrogate: "\ud800",
    };
    const store = memoryLogStore();
    const seen: Json[] = [];
    const attempt = async (context: AttemptContext<Json>) => {
      seen.push(await context.once("odd", async () => odd as unknown as Json));
      return context.done("done");
    };
    const { report } = await runTask(conformanceTask, { team: teamOf(attempt), store, runId: "odd" });
    expect(report).toBe("done");
    expect(seen[0]).toMatchObject({
      cycle: { name: "a", self: "[Circular]" },
      inToJson: { toJSON: "[Function toJSON]" },
      inMap: [["n", "[BigInt 1]"]],
      behindGetter: "[BigInt 1]",
      set: [1],
      date: "1970-01-01T00:00:00.000Z",
      number: "[Number NaN]",
      surrogate: "\ufffd",
    });
    const { header, events } = await store.read("odd");
    const read = parseLog(Buffer.from([header, ...events].map((line) => `${writeLine(line)}\n`).join("")));
    const end = read.events.find(({ payload }) => payload.type === "end" && JSON.stringify(payload).includes("cycle"));
    expect(end?.payload).toMatchObject({ value: seen[0] });
  });

  test.each([
    ["a BigInt", 1n],
    ["a stream", Readable.from([])],
    ["nothing", undefined],
  ])("a tool whose output is %s fails alone", async (_, output) => {
    const report = await reportOf(
      async (context) => {
        const { parts } = await context.role("coder").use([use("odd"), use("good", {}, "c1")]);
        return context.done(parts as Json);
      },
      { role: { tools: [tool("odd", { call: async () => ({ ok: true, output: output as never }) }), tool("good")] } },
    );
    expect(report).toMatchObject([
      { id: "c0", ok: false },
      { id: "c1", ok: true, output: "good" },
    ]);
  });
});

describe("model calls", () => {
  test("one that fails for good throws its fault, and a program that lets it pass ends with it", async () => {
    const models = [
      failing(new ProviderError("AUTHENTICATION", "no such key", { retryable: false, status: 401 })),
    ] as const;
    const report = await reportOf(asking(), { role: { models } });
    expect(report).toMatchObject({ fault: { code: "AUTHENTICATION", message: "no such key", retryable: false } });
  });
  test("an open circuit goes to the next model, and the log says so", async () => {
    const models = [failing(new CircuitOpenError("llm")), scripted("good:model", () => "hello")] as const;
    const trajectory = await run(
      teamOf(asking(), {
        role: { models },
      }),
    );
    expect(trajectory.report).toMatchObject({ parts: [{ text: "hello" }] });
    expect(trajectory.events.some(({ payload }) => payload.type === "recovered" && payload.how === "fallback")).toBe(
      true,
    );
  });
  test("a fresh answer from a cache is given without a call, and costs nothing", async () => {
    const response = await scripted("a:b", () => "hello").complete({} as never, {
      signal: new AbortController().signal,
      at: {} as never,
    });
    const cached = async () => ({ state: "hit", response }) as const;
    const models = [{ ...failing(new Error("called")), cached }] as const;
    const trajectory = await run(teamOf(asking({ cacheable: true }), { role: { models } }));
    expect(trajectory.report).toMatchObject({ parts: [{ text: "hello" }] });
    expect(trajectory.usage).toMatchObject({ modelCalls: 1, input: 0, output: 0 });
    const { calls } = costReport(trajectory);
    expect(calls).toMatchObject([{ cacheHit: true, attempts: 0, tokens: { input: 0 } }]);
    expect(
      trajectory.events.some(({ payload }) => payload.type === "note" && payload.note["event"] === "cache_hit"),
    ).toBe(true);
  });
  test("a fresh answer that is given while the circuit is open is told as such", async () => {
    const response = await scripted("a:b", () => "hello").complete({} as never, {
      signal: new AbortController().signal,
      at: {} as never,
    });
    let keeps = false;
    const cached = async () => (keeps ? ({ state: "hit", response } as const) : ({ state: "miss" } as const));
    const down = { ...failing(new ProviderError("OVERLOADED", "busy", { retryable: true })), cached };
    const guard = createGuard({ retries: 0, failureThreshold: 1 });
    const team = teamOf(
      async (context) => {
        await context
          .role("coder")
          .ask({ turns: [], cacheable: true })
          .catch(() => {});
        keeps = true;
        return context.done(toJson(await context.role("coder").ask({ turns: [], cacheable: true })));
      },
      { role: { models: [down, scripted("good:model", () => "not asked")] } },
    );
    const { report, events } = await runTask(conformanceTask, { team, guard, store: memoryLogStore() });
    guard.dispose();
    expect(report).toMatchObject({ parts: [{ text: "hello" }] });
    expect(events.flatMap(({ payload }) => (payload.type === "note" ? (payload.note["event"] ?? []) : []))).toEqual([
      "cache_miss",
      "breaker",
      "cache_hit",
      "degraded_fallback_cached",
    ]);
  });
  describe("a request that may have been billed and is made again", () => {
    const price = { input: 0, output: 10 };
    const tokens = { input: 0, output: 1_000, reasoning: 0, cacheRead: 0, cacheWrite: 0 };
    /** Fails so often with a code, then answers. Every request costs a cent. */
    function failsFirst(times: number, code: string) {
      let requests = 0;
      const model: LLMClient = {
        ...scripted("a:b", {}),
        price,
        async complete() {
          if (requests++ < times) throw new ProviderError(code, "cut", { retryable: true });
          return { parts: [{ type: "text", text: "hello" }], stop: "end", tokens };
        },
      };
      return { model, requests: () => requests };
    }
    async function runOn(model: LLMClient, usd = 1) {
      const guard = createGuard({ baseMs: 0 });
      const team = teamOf(asking({ maxTokens: 1_000 }), { role: { models: [model] } });
      const trajectory = await runTask(conformanceTask, { team, guard, limits: { usd }, store: memoryLogStore() });
      guard.dispose();
      assertSoundRun(trajectory);
      return trajectory;
    }

    test.each(["INTERRUPTED", "TIMEOUT", "CONNECTION"])("is charged for each time after %s", async (code) => {
      const trajectory = await runOn(failsFirst(2, code).model);
      expect(trajectory.verdict.outcome).not.toBe("budget");
      expect(trajectory.usage).toMatchObject({ modelCalls: 3, usd: 0.03 });
      const { calls } = costReport(trajectory);
      expect(calls.map(({ basis, attempts }) => [basis, attempts])).toEqual([
        ["billed", 3],
        ["reserved", null],
        ["reserved", null],
      ]);
    });
    test.each(["OVERLOADED", "RATE_LIMITED", "UNREACHABLE"])("was not after %s", async (code) => {
      expect((await runOn(failsFirst(2, code).model)).usage).toMatchObject({ modelCalls: 1, usd: 0.01 });
    });
    test("is refused where the budget has no room for it, and the run ends for that", async () => {
      const { model, requests } = failsFirst(3, "INTERRUPTED");
      const trajectory = await runOn(model, 0.02);
      expect(trajectory.verdict.outcome).toBe("budget");
      expect(requests()).toBe(2);
      expect(trajectory.usage.usd).toBe(0.02);
      const ends = trajectory.events.flatMap(({ payload }) => (payload.type === "end" ? [payload.fault?.message] : []));
      expect(ends).toContainEqual(expect.stringContaining("over the budget"));
    });
  });
  test("a prompt that does not fit the model's window is not sent", async () => {
    const models = [{ ...failing(new Error("called")), window: 9_000 }] as const;
    const turns = [{ role: "user" as const, parts: [{ type: "text" as const, text: "x".repeat(4_000) }] }];
    const report = await reportOf(asking({ turns }), { role: { models } });
    expect(report).toMatchObject({ fault: { code: "CONTEXT_TOO_LONG", retryable: false } });
  });
  test("an answer that is none is a fault", async () => {
    const models = [{ ...scripted("bad:model", {}), complete: async () => ({ parts: "?" }) as never }] as const;
    const report = await reportOf(asking(), { role: { models } });
    expect(report).toMatchObject({ fault: { code: "BAD_RESPONSE" } });
  });
});

describe("a program", () => {
  test("that throws is a failed step with its error", async () => {
    expect(await reportOf(() => Promise.reject(new RangeError("boom")))).toMatchObject({
      fault: { code: "CRASHED", errorType: "RangeError", message: "boom" },
    });
  });
  test.each<[string, string, Attempt]>([
    [
      "makes two calls at once",
      "CONTEXT_BUSY",
      (context) => Promise.all([context.test(), context.test()]).then(() => context.done(null)),
    ],
    ["asks an unknown role", "UNKNOWN_ROLE", asking({}, "boss")],
    ["runs an unknown suite", "UNKNOWN_SUITE", (context) => context.test(["x"]).then(() => context.done(null))],
  ])("that %s is told so", async (_, code, attempt) => {
    expect(await reportOf(attempt)).toMatchObject({ fault: { code } });
  });
  test("that takes longer than its step may is stopped, and another attempt follows", async () => {
    const hang = () => new Promise<never>(() => {});
    const waiting: Attempt = async (context) =>
      context.done(await context.once("wait", context.attempt === 0 ? hang : async () => "quick"));
    const trajectory = await run(teamOf(waiting, { step: { timeoutMs: 30, maxRetries: 1 } }));
    expect(trajectory.report).toBe("quick");
    expect(
      trajectory.events.some(({ payload }) => payload.type === "fault" && payload.fault.code === "STEP_TIMED_OUT"),
    ).toBe(true);
  });
  test("cannot go on after a refusal that it caught", async () => {
    const trajectory = await runTask(conformanceTask, {
      store: memoryLogStore(),
      limits: { toolCalls: 1 },
      team: teamOf(async (context) => {
        await context.test();
        await context.test().catch(() => {});
        return context.done("as if nothing had happened");
      }),
    });
    expect(trajectory.verdict.outcome).toBe("budget");
  });
});

describe("a call that a crash cut off", () => {
  /** The log of a run, ended right after the begin of its last tool call, and what a resumed run then reports. */
  async function resumedAt(effect: "none" | "workspace" | "outside", idempotent: boolean) {
    let calls = 0;
    const call = async () => {
      calls++;
      return { ok: true, output: "done" };
    };
    const probe = tool("probe", { effect, idempotent, call });
    const team = teamOf(
      async (context) => context.done((await context.role("coder").use([use("probe")])).parts as Json),
      { role: { tools: [probe] } },
    );
    const { header, events } = await run(team);
    const begin = events.findIndex(({ payload }) => payload.type === "begin" && payload.call.op === "tool");
    const store = memoryLogStore();
    const writer = await store.create(header);
    writer.append(events.slice(0, begin + 1));
    await writer.close();
    return { report: (await resumeRun("run", { team, store, sandbox: team.defaults.sandbox() }).result).report, calls };
  }
  test.each([
    ["none", true],
    ["workspace", false],
    ["outside", true],
  ] as const)("with effect %s is made again (idempotent: %s)", async (effect, idempotent) => {
    expect(await resumedAt(effect, idempotent)).toMatchObject({ report: [{ ok: true }], calls: 2 });
  });
  test("with an outside effect that may not be repeated ends as interrupted", async () => {
    const { report, calls } = await resumedAt("outside", false);
    expect(report).toMatchObject([{ ok: false, output: expect.stringContaining("interrupted") }]);
    expect(calls).toBe(1);
  });
});

test("an abort ends the run within a second though a tool hangs, and the log is complete", async () => {
  const hanging = tool("hang", { call: () => new Promise(() => {}) });
  const team = teamOf(async (context) => context.done((await context.role("coder").use([use("hang")])).parts as Json), {
    role: { tools: [hanging] },
  });
  const running = startRun(conformanceTask, { team, store: memoryLogStore() });
  running.on("tool", () => running.abort("enough"));
  const { verdict, events } = await running.result;
  expect(verdict).toMatchObject({ outcome: "aborted", reasons: ["enough"] });
  expect(events.at(-1)?.kind).toBe("verdict");
  expect(
    events.some(({ key, payload }) => key === null && payload.type === "end" && payload.fault?.code === "ABORTED"),
  ).toBe(true);
});

test("a failed step leaves the workspace where it was", async () => {
  const trajectory = await run(
    teamOf(async (context) => {
      await context.role("coder").use([use("append", { path: "main.txt", text: "right" })]);
      return context.fail(faultOf({ code: "NO", message: "no" }));
    }),
  );
  expect(trajectory.verdict.outcome).toBe("failed");
  expect(trajectory.step("run/do")?.result).toMatchObject({ ok: false, fault: { code: "NO" } });
});

test("what a role may not write is undone though the tool that wrote it threw, and dot names are names", async () => {
  const base = conformanceTeam();
  const vandal = tool("vandal", {
    effect: "workspace",
    async call(_, { workspace }) {
      await workspace.write("tests/.x/a.py", "x");
      throw new Error("broken");
    },
  });
  const team = teamOf(
    async (context) => {
      const { parts } = await context.role("coder").use([use("vandal")]);
      return context.done({ parts, files: await context.files.list() } as Json);
    },
    { role: { ...base.roles["coder"]!, tools: [vandal], writes: ["**", "!tests/**"] } },
  );
  expect((await run(team)).report).toMatchObject({
    parts: [{ ok: false, output: expect.stringContaining("tests/.x/a.py") }],
    files: ["checks.json", "main.txt"],
  });
});

test("the state of a run that no test saw is where its last step left the files", async () => {
  const running = startRun(conformanceTask, {
    store: memoryLogStore(),
    team: {
      ...teamOf(async (context) => {
        await context.role("coder").use([use("append", { path: "new.txt", text: "new" })]);
        return context.done(null);
      }),
    },
  });
  running.on("checkpoint", ({ payload }) => {
    if (payload.type === "result") running.abort("enough");
  });
  const { state, files } = await running.result;
  expect(state.label).toBe("untested");
  expect(Object.keys(await files())).toContain("new.txt");
});

test("what a test runner notices of its own means is ambient, from the program's tests and from a tool's", async () => {
  const testing = tool("testing", {
    call: async (_, { test }) => ({ ok: (await test()).fault === null, output: "" }),
  });
  const team = teamOf(
    async (context) => {
      await context.test();
      await context.role("coder").use([use("testing")]);
      return context.done(null);
    },
    { role: { tools: [testing] } },
  );
  const noticing = team.defaults.tests();
  const tests: TestRunner = {
    run(workspace, suites, options) {
      options.notice?.({ event: "tests_not_warm", suite: "s", why: "w" });
      return noticing.run(workspace, suites, options);
    },
  };
  const store = memoryLogStore();
  const { events } = await runTask(conformanceTask, { team, store, runId: "run", tests });
  const notes = events.filter(({ payload }) => payload.type === "note" && payload.note["event"] === "tests_not_warm");
  expect(notes.map(({ key, kind }) => [key, kind])).toEqual([
    [null, "failure"],
    [null, "failure"],
  ]);
  expect((await replayRun("run", { team, store })).divergence).toBeNull();
});
