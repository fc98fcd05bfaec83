import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { Done } from "../contracts/done.ts";
import { faultOf } from "../contracts/fault.ts";
import { asJson, type Json } from "../contracts/json.ts";
import { type AttemptContext, defineProgram } from "../contracts/program.ts";
import type { Suite } from "../contracts/suite.ts";
import type { RunContext, StepOptions, Team } from "../contracts/team.ts";
import type { Tool } from "../contracts/tool.ts";
import { ProviderError } from "../errors.ts";
import { memoryLogStore } from "../log/memory-log-store.ts";
import { assertSoundRun } from "../testing/assert-sound-run.ts";
import { memoryBlobs, memorySandbox } from "../testing/memory-sandbox.ts";
import { scripted } from "../testing/scripted.ts";
import { conformanceTask, conformanceTeam } from "../testing/team.ts";
import { replayRun } from "./replay-run.ts";
import type { RunOptions } from "./run-options.ts";
import { runTask, startRun } from "./start-run.ts";

type Attempt = (context: AttemptContext<Json>) => unknown;
type Workflow = (run: RunContext, attempt: ReturnType<typeof programOf>) => Promise<Json>;

const programOf = (attempt: Attempt, diagnose?: () => unknown) =>
  defineProgram<Json, Json>({
    name: "do",
    input: z.json(),
    output: z.json(),
    attempt: async (context) => (await attempt(context)) as Done<Json>,
    ...(diagnose ? { diagnose: async () => (await diagnose()) as string } : {}),
  });

/** A team of one program and one workflow, by default one step of it. */
function teamOf(
  attempt: Attempt,
  workflow: Workflow = async (run, program) => reportOf(await run.step(program, null)),
  more: { diagnose?: () => unknown; tools?: Tool<Json>[] } = {},
): Team {
  const base = conformanceTeam();
  const program = programOf(attempt, more.diagnose);
  const coder = { ...base.roles["coder"]!, ...(more.tools ? { tools: more.tools } : {}) };
  return { ...base, roles: { coder }, programs: [program], workflow: (run) => workflow(run, program) };
}
const reportOf = (result: { ok: boolean; output?: Json; fault?: { code: string } }): Json =>
  result.ok ? result.output! : { fault: result.fault!.code };
async function run(team: Team, options: Partial<RunOptions> = {}) {
  const trajectory = await runTask(conformanceTask, { team, store: memoryLogStore(), ...options });
  assertSoundRun(trajectory);
  return trajectory;
}
const never = () => new Promise<never>(() => {});

describe("branches", () => {
  test("of a second all are branches of their own, and none is taken for a program", async () => {
    let made = 0;
    const count: Attempt = async (context) => context.done(await context.once("count", async () => ++made));
    const { report, verdict } = await run(
      teamOf(count, async (run, program) => {
        const branch = async (lane: RunContext) => reportOf(await lane.step(program, null));
        return [
          await run.all({ do: branch }),
          await run.all({ do: branch }),
          reportOf(await run.step(program, null)),
        ] as Json;
      }),
    );
    expect(report).toEqual([{ do: 1 }, { do: 2 }, 3]);
    expect(verdict.outcome).not.toBe("infra-error");
  });

  test("that use the outer run are told so, and nothing of theirs is lost unseen", async () => {
    const { report, verdict } = await run(
      teamOf(
        (context) => context.done(1),
        async (run, program) => {
          const outer = async () => reportOf(await run.step(program, null));
          return run.all({ outer, own: async (lane) => reportOf(await lane.step(program, null)) });
        },
      ),
    );
    expect(report).toBeNull();
    expect(verdict.reasons[0]).toContain("two calls at a time");
  });

  test("a race without variants is refused", async () => {
    const { verdict } = await run(teamOf(never, async (run, program) => reportOf(await run.race(program, null, []))));
    expect(verdict.reasons[0]).toContain("variants");
  });
});

describe("what cannot be in a log", () => {
  test.each<[string, StepOptions]>([
    ["an infinite time limit", { timeoutMs: Number.POSITIVE_INFINITY }],
    ["no time at all", { timeoutMs: 0 }],
    ["less than no retries", { maxRetries: -1 }],
    ["half a retry", { maxRetries: 1.5 }],
  ])("%s is refused where it is given", async (_, options) => {
    const { verdict } = await run(
      teamOf(never, async (run, program) => reportOf(await run.step(program, null, options))),
    );
    expect(verdict).toMatchObject({ outcome: "infra-error", reasons: [expect.stringContaining("options of do")] });
  });

  test.each(["admit", "freeze"] as const)("a suite that is none is refused where %s is given it", async (name) => {
    const suite = { id: "own", runner: "double", files: { "tests/a": "" } } as unknown as Suite;
    const { verdict } = await run(teamOf(never, async (run) => asJson(await run[name](suite))));
    expect(verdict).toMatchObject({
      outcome: "infra-error",
      reasons: [expect.stringContaining(`suite of run.${name}.author`)],
    });
  });

  test.each<[string, Attempt]>([
    ["fails without a fault", (context) => context.fail(null as never)],
    ["fails with an error", (context) => context.fail(new Error("x") as never)],
    ["fails with half a fault", (context) => context.fail({ code: "X", message: "x" } as never)],
    ["returns nothing", () => undefined],
    ["returns something else", () => ({ ok: false })],
    ["gives another output than it says", (context) => context.done((() => {}) as never)],
  ])("a program that %s is a failed step that says so", async (_, attempt) => {
    expect((await run(teamOf(attempt))).report).toEqual({ fault: "BAD_RESULT" });
  });

  test.each<[string, () => never]>([
    [
      "nothing",
      () => {
        throw undefined;
      },
    ],
    [
      "an object without a form",
      () => {
        throw Object.create(null);
      },
    ],
  ])("a program that throws %s is a failed step", async (_, attempt) => {
    expect((await run(teamOf(attempt))).report).toEqual({ fault: "CRASHED" });
  });

  test.each<[string, () => unknown]>([
    ["gives no text", () => undefined],
    [
      "throws",
      () => {
        throw new Error("no idea");
      },
    ],
  ])("a diagnosis that %s leaves the next attempt without a hint, and its fault in the log", async (_, diagnose) => {
    const attempt: Attempt = (context) =>
      context.attempt === 0
        ? context.fail(faultOf({ code: "NO", message: "no", retryable: true }))
        : context.done(context.hint);
    const { report, events } = await run(
      teamOf(attempt, async (run, program) => reportOf(await run.step(program, null, { maxRetries: 1 })), { diagnose }),
    );
    expect(report).toBeNull();
    expect(events.filter(({ payload }) => payload.type === "fault")).toHaveLength(2);
  });

  test("a key of a prototype is left out, live as in the log", async () => {
    const store = memoryLogStore();
    const team = teamOf(async (context) =>
      context.done(Object.keys(await context.once("x", async () => JSON.parse('{"__proto__":{"a":1},"b":2}')))),
    );
    const { runId, report } = await run(team, { store });
    expect(report).toEqual(["b"]);
    expect((await replayRun(runId, { team, store, sandbox: team.defaults.sandbox() })).divergence).toBeNull();
  });

  test("who is given events or values cannot change the log with them", async () => {
    const team = teamOf(async (context) => {
      const value = await context.once("list", async () => [1]);
      (value as number[]).push(2);
      return context.done((await context.once("list", async () => [0])).length);
    });
    const running = startRun(conformanceTask, { team, store: memoryLogStore() });
    running.on("event", (event) => {
      (event as { agent: unknown }).agent = "nobody";
    });
    const { report, events } = await running.result;
    expect(report).toBe(1); // and a fact is asked for once
    expect(events.some(({ agent }) => agent === "nobody")).toBe(false);
  });

  test("a secret that was named is in no line, wherever it came from, and its holder sees what the log holds", async () => {
    const secret = "correct-horse-battery";
    const model = scripted("a:b", () => `you said ${secret}`);
    const base = teamOf(async (context) => {
      const turns = [
        { role: "user" as const, parts: [{ type: "text" as const, text: `${context.task.prompt} ${secret}` }] },
      ];
      const { parts } = await context.role("coder").ask({ turns });
      return context.done([parts as Json, { [secret]: secret }]);
    });
    const team = { ...base, roles: { coder: { ...base.roles["coder"]!, models: [model] as const } } };
    const task = { ...conformanceTask, prompt: `The password is ${secret}.` };
    const trajectory = await runTask(task, { team, store: memoryLogStore(), secrets: [secret] });
    expect(trajectory.toJsonl()).not.toContain(secret);
    expect(JSON.stringify([trajectory.report, model.requests])).not.toContain(secret);
    const sealed = await team.defaults.sandbox().blobs.get(trajectory.header.taskSha256);
    expect(Buffer.from(sealed).toString()).not.toContain(secret);
  });

  test("keys of any shape are in no line, in whatever way they came: configuration, header, URL, environment, error", async () => {
    const made = "Ab3dEf6hIj9kLm2nOp5q";
    const keys = [`sk-${made}`, `AIza${made}${made.slice(5)}`, "AKIAABCDEFGHIJKLMNOP", `${made}-header`, `${made}_url`];
    const [sk, google, aws, header, url] = keys;
    const registered = "no shape at all";
    const throwing: Tool<Json> = {
      ...conformanceTeam().roles["coder"]!.tools[0]!,
      name: "dump",
      input: z.json(),
      call: async (input) => {
        if (input !== null && typeof input === "object" && "fails" in input)
          throw new Error(`request with x-api-key: ${header} to https://a.example/?key=${url} failed`);
        return { ok: true, output: `AWS_KEY=${aws}\nREGION=ASIAPACIFIC\nPASSWORD=${registered}` };
      },
    };
    const base = teamOf(
      async (context) => {
        const calls = [{}, { fails: true }].map((args, id) => ({
          type: "tool" as const,
          id: `${id}`,
          tool: "dump",
          args,
        }));
        const { parts } = await context.role("coder").use(calls);
        return context.done([parts as Json, sk!]);
      },
      undefined,
      { tools: [throwing] },
    );
    const team = { ...base, config: { api_key: google! } };
    const trajectory = await run(team, { secrets: [registered] });
    const kept = JSON.stringify([trajectory.toJsonl(), trajectory.report, trajectory.verdict]);
    for (const secret of [...keys, registered]) expect(kept).not.toContain(secret);
    expect(kept).toContain("ASIAPACIFIC");
    expect(kept).toContain("request with x-api-key");
  });

  test.each([
    ["source.files", { source: { files: { "a.env": "KEY=correct-horse-battery" } } }],
    ["testFiles", { testFiles: { "a.env": "KEY=correct-horse-battery" } }],
    ["hiddenTestFiles", { hiddenTestFiles: { "a.env": { base64: btoa("KEY=correct-horse-battery") } } }],
  ])("a secret in a file of a task's %s is refused, and nothing is kept of the task", async (field, files) => {
    const blobs = memoryBlobs();
    const kept: unknown[] = [];
    const sandbox = memorySandbox({
      blobs: {
        ...blobs,
        put(data) {
          kept.push(data);
          return blobs.put(data);
        },
      },
    });
    const options = { team: conformanceTeam(), sandbox, store: memoryLogStore(), secrets: ["correct-horse-battery"] };
    const refused = runTask({ ...conformanceTask, ...files }, options);
    await expect(refused).rejects.toMatchObject({ code: "INVALID_INPUT", field: `task.${field}["a.env"]` });
    expect(kept).toEqual([]);
  });
});

describe("a program or workflow that does not end", () => {
  const forEver = async (call: () => Promise<unknown>) => {
    for (;;) await call().catch(() => {});
  };
  test("by swallowing a refusal again and again is left behind", async () => {
    const spin: Attempt = (context) => forEver(() => context.test());
    expect((await run(teamOf(spin), { limits: { toolCalls: 1 } })).verdict.outcome).toBe("budget");
    const workflow: Workflow = (run, program) => forEver(() => run.step(program, null)) as Promise<never>;
    const testing: Attempt = (context) => context.test().then(() => context.done(null));
    expect((await run(teamOf(testing, workflow), { limits: { toolCalls: 3 } })).verdict.outcome).toBe("budget");
  });

  test("by waiting for something else has its step's time limit, and its workspace is put away", async () => {
    const disposed: string[] = [];
    const team = teamOf(
      async (context) => {
        await context.role("coder").use([{ type: "tool", id: "c", tool: "append", args: { path: "a", text: "a" } }]);
        await never();
      },
      async (run, program) => reportOf(await run.step(program, null, { timeoutMs: 60 })),
    );
    const sandbox = team.defaults.sandbox();
    const watched = {
      ...sandbox,
      async open(...args: Parameters<typeof sandbox.open>) {
        const workspace = await sandbox.open(...args);
        return { ...workspace, [Symbol.asyncDispose]: async () => void disposed.push(args[0].lane) };
      },
    };
    expect((await run(team, { sandbox: watched })).report).toEqual({ fault: "STEP_TIMED_OUT" });
    expect(disposed).toContain("run/do");
  });

  test("a limit of a month is no limit that has passed", async () => {
    const month = 30 * 24 * 3_600_000;
    const team = teamOf(
      (context) => context.done(1),
      async (run, program) => reportOf(await run.step(program, null, { timeoutMs: month })),
    );
    expect((await run(team, { limits: { wallMs: month } })).report).toBe(1);
  });

  test("an abort ends a preflight that hangs", async () => {
    const base = conformanceTeam();
    const coder = { ...base.roles["coder"]!, models: [{ ...scripted("a:b", {}), preflight: never }] as const };
    const running = startRun(conformanceTask, {
      team: { ...base, roles: { ...base.roles, coder } },
      store: memoryLogStore(),
    });
    setTimeout(() => running.abort("enough"), 10);
    await expect(running.result).rejects.toThrowError("enough");
  });
});

test("a step that its workflow did not wait for is cut off before the verdict", async () => {
  let ended = false;
  const slow: Attempt = async (context) => {
    await context
      .once<null>(
        "slow",
        (signal) => new Promise((_, reject) => signal.addEventListener("abort", () => reject(new Error("cut")))),
      )
      .finally(() => {
        ended = true;
      });
    return context.done(1);
  };
  const { verdict, events } = await run(
    teamOf(slow, async (run, program) => {
      run.step(program, null).catch(() => {});
      await new Promise((resolve) => setTimeout(resolve, 20));
      throw new Error("a workflow's own fault");
    }),
  );
  expect(verdict).toMatchObject({ outcome: "infra-error", reasons: ["a workflow's own fault"] });
  expect(ended).toBe(true);
  expect(events.at(-1)?.kind).toBe("verdict");
});

describe("a call that nobody waits for", () => {
  test("fails its attempt, and no rejection goes unhandled", async () => {
    const careless: Attempt = (context) => {
      void context.test();
      void context.test();
      return context.done(1);
    };
    expect((await run(teamOf(careless))).report).toEqual({ fault: "CALL_NOT_AWAITED" });
  });
  test("after the attempt's end is refused", async () => {
    let kept: AttemptContext<Json> | undefined;
    const keep: Attempt = (context) => {
      kept = context;
      return context.done(1);
    };
    const { events } = await run(teamOf(keep));
    await expect(kept?.test()).rejects.toMatchObject({ code: "ATTEMPT_OVER" });
    expect(events.at(-1)?.kind).toBe("verdict");
  });
  test("a listener that rejects hurts only itself", async () => {
    const running = startRun(conformanceTask, { team: conformanceTeam(), store: memoryLogStore() });
    running.on("event", async () => {
      throw new Error("later");
    });
    expect((await running.result).verdict.outcome).toBe("verified");
  });
});

describe("a replay", () => {
  const replay = async (team: Team, store = memoryLogStore()) => {
    const { runId } = await run(team, { store });
    return replayRun(runId, { team, store, sandbox: team.defaults.sandbox() });
  };
  test("takes facts from outside and outside effects from the log", async () => {
    let sent = 0;
    const send: Tool<Json> = {
      name: "send",
      description: "",
      input: z.json(),
      effect: "outside",
      idempotent: false,
      call: async () => ({ ok: true, output: `mail ${++sent}` }),
    };
    const attempt: Attempt = async (context) => {
      const now = await context.once("now", async () => Math.random());
      return context.done([
        now,
        (await context.role("coder").use([{ type: "tool", id: "c", tool: "send", args: {} }])).parts as Json,
      ]);
    };
    expect((await replay(teamOf(attempt, undefined, { tools: [send] }))).divergence).toBeNull();
    expect(sent).toBe(1);
  });
  test("of a run that was cut short agrees as far as its log goes", async () => {
    const store = memoryLogStore();
    const team = conformanceTeam();
    const running = startRun(conformanceTask, { team, store });
    running.on("failure", () => running.abort("cut short"));
    await running.result;
    expect((await replayRun(running.runId, { team, store })).divergence).toBeNull();
  });
  test("ends with the log of a run that a limit cut short, though its program would go on for ever", async () => {
    const endless: Attempt = async (context) => {
      for (;;) await context.test();
    };
    const [team, store] = [teamOf(endless), memoryLogStore()];
    const { runId } = await run(team, { store, limits: { toolCalls: 3 } });
    const { divergence, trajectory } = await replayRun(runId, { team, store });
    expect([divergence, trajectory.verdict.outcome]).toEqual([null, "aborted"]);
  });
  test("finds a tool that does something else", async () => {
    const store = memoryLogStore();
    const team = conformanceTeam();
    const { runId } = await run(team, { store });
    const read = team.roles["coder"]!.tools.find(({ name }) => name === "read")!;
    const other = { ...read, call: async () => ({ ok: true, output: "something else" }) };
    const tools = team.roles["coder"]!.tools.map((tool) => (tool === read ? other : tool));
    const changed = { ...team, roles: { ...team.roles, coder: { ...team.roles["coder"]!, tools } } };
    const { divergence } = await replayRun(runId, { team: changed, store });
    expect(divergence?.other?.payload).toMatchObject({ value: { output: "something else" } });
  });
});

describe("the caller's options", () => {
  test.each<[string, unknown, string]>([
    ["no options", undefined, "team"],
    ["no team", {}, "team"],
    ["an option that is none", { team: conformanceTeam(), exector: 1 }, "exector"],
  ])("%s are refused with the field", async (_, options, field) => {
    await expect(startRun(conformanceTask, options as RunOptions).result).rejects.toMatchObject({
      code: "INVALID_INPUT",
      field,
    });
  });
  test("a budget in dollars needs the price of every model, or a word that it need not", async () => {
    const options = { team: conformanceTeam(), store: memoryLogStore(), limits: { usd: 1 } };
    await expect(runTask(conformanceTask, options)).rejects.toMatchObject({ field: "limits.usd" });
    expect((await runTask(conformanceTask, { ...options, allowUnpriced: true })).verdict.outcome).toBe("verified");
  });
});

test("a provider that is down says nothing about the work", async () => {
  const base = conformanceTeam();
  const down = {
    ...scripted("a:b", {}),
    complete: () => Promise.reject(new ProviderError("AUTHENTICATION", "no such key", { retryable: false })),
  };
  const team = { ...base, roles: { ...base.roles, coder: { ...base.roles["coder"]!, models: [down] as const } } };
  const { verdict } = await run(team);
  expect(verdict).toMatchObject({
    passed: false,
    outcome: "infra-error",
    reasons: [expect.stringContaining("no such key"), expect.anything()],
  });
});
