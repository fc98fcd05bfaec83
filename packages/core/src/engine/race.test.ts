import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { RunEvent } from "../contracts/event.ts";
import { faultOf } from "../contracts/fault.ts";
import type { LLMClient, LLMRequest } from "../contracts/model.ts";
import { defineProgram } from "../contracts/program.ts";
import type { Variant } from "../contracts/step.ts";
import type { Role, Team } from "../contracts/team.ts";
import { costReport } from "../log/cost-report.ts";
import { firstDivergence } from "../log/divergence.ts";
import { memoryLogStore } from "../log/memory-log-store.ts";
import { assertSoundRun } from "../testing/assert-sound-run.ts";
import { scripted } from "../testing/scripted.ts";
import { conformanceTask, conformanceTeam } from "../testing/team.ts";
import { forkRun } from "./fork-run.ts";
import { replayRun } from "./replay-run.ts";
import { resumeRun } from "./resume-run.ts";
import { runTask, startRun } from "./start-run.ts";

const write = (path: string, text: string) => [{ tool: "append", args: { path, text } }];
const never = new Promise<never>(() => {});

/** Asks the coder once, does what it says, and succeeds where `main.txt` is right. */
const attempt = defineProgram({
  name: "try",
  input: z.null(),
  output: z.strictObject({ seed: z.number(), hint: z.string().nullable() }),
  async attempt(context) {
    const coder = context.role("coder");
    const { parts } = await coder.ask({ turns: [] });
    await coder.use(parts.filter((part) => part.type === "tool"));
    const report = await context.test();
    if (report.tests.every(({ status }) => status === "passed"))
      return context.done({ seed: context.seed, hint: context.hint });
    return context.fail(faultOf({ code: "WRONG", message: "main.txt is not right", test: `seed ${context.seed}` }));
  },
});

type Reply = "right" | "wrong" | "late" | "hangs";

/** A team that races these candidates: what each one's model replies. */
function racing(replies: readonly Reply[], variants: readonly Variant[] = replies.map((_, seed) => ({ seed }))) {
  const base = conformanceTeam();
  const asked: LLMRequest[] = [];
  const script = scripted("a:b", ({ stepId }) => write("main.txt", `${replies[branchOf(stepId)]}\n`));
  const model: LLMClient = {
    ...script,
    price: { input: 1, output: 1 },
    async complete(request, options) {
      asked.push(request);
      const reply = replies[branchOf(options.at.stepId)];
      if (reply === "late") await delay(20);
      return reply === "hangs" ? await never : await script.complete(request, options);
    },
  };
  const other = { ...model, id: "a:other" };
  const coder: Role = { ...base.roles["coder"]!, models: [model, other], maxTokens: 100, temperature: 0.5 };
  const team: Team = {
    ...base,
    roles: { coder },
    programs: [attempt],
    workflow: async (run) => {
      const raced = await run.race(attempt, null, variants);
      return raced.ok ? raced.output : raced.fault.code;
    },
  };
  return { team, asked, store: memoryLogStore() };
}
const branchOf = (stepId: string) => Number(stepId.split("/")[2]);
const winnerIn = (events: readonly RunEvent[]) =>
  events.flatMap(({ payload }) => (payload.type === "recovered" && payload.how === "winner" ? [payload.detail] : []));

describe("a race", () => {
  test("is won by the first candidate that succeeds; the others are cut off, each in the log under its branch", async () => {
    const { team, store } = racing(["wrong", "right", "hangs"]);
    const run = await runTask(conformanceTask, { team, store });
    assertSoundRun(run);
    expect(run.verdict.outcome).toBe("verified");
    expect(run.report).toEqual({ seed: 1, hint: null });
    expect(winnerIn(run.events)).toEqual([{ race: "run/race-try", winner: 1, ok: true }]);
    expect(run.step("run/race-try/0/try")?.events.at(-1)?.payload).toMatchObject({ fault: { code: "WRONG" } });
    const cutOff = run.step("run/race-try/2/try")?.events.at(-1);
    expect([cutOff?.key, cutOff?.payload]).toMatchObject([
      null,
      { fault: { code: "ABORTED", message: "lost its race" } },
    ]);
    expect((await replayRun(run.runId, { team, store })).divergence).toBeNull();
  });

  test("whose log ends anywhere replays, also where no branch had won yet", async () => {
    const { team, store } = racing(["late", "right"]);
    const { header, events } = await runTask(conformanceTask, { team, store });
    for (const place of events.keys()) {
      const { divergence } = await replayRun({ header, events: events.slice(0, place) }, { team });
      expect(divergence, `cut before event ${place}`).toBeNull();
    }
  });

  test("costs what all its candidates spend, and the report tells the losers' part", async () => {
    const { team, store } = racing(["wrong", "right", "hangs"]);
    const run = await runTask(conformanceTask, { team, store });
    const { total, lost } = costReport(run);
    expect([total.calls, lost.calls]).toEqual([3, 2]);
    expect(lost.tokens.output).toBe(20 + 100); // what was billed, and what the call that was cut off may have cost
    expect(run.usage.modelCalls).toBe(3);
  });

  test("that no candidate wins gives a failure, and says so", async () => {
    const { team, store } = racing(["wrong", "wrong"]);
    const run = await runTask(conformanceTask, { team, store });
    expect(run.verdict.outcome).toBe("failed");
    expect(run.report).toBe("WRONG");
    expect(winnerIn(run.events)).toEqual([{ race: "run/race-try", winner: 1, ok: false }]);
    expect((await replayRun(run.runId, { team, store })).divergence).toBeNull();
  });

  test("that no candidate wins has one failure signature, whichever is the last to fail", async () => {
    for (const replies of [
      ["wrong", "late"],
      ["late", "wrong"],
    ] as const) {
      const { team, store } = racing(replies);
      expect((await runTask(conformanceTask, { team, store })).failureSignature).toBe("WRONG|try|-|seed 1");
    }
  });

  test("that the budget ends for all candidates ends the run, whatever its workflow makes of it", async () => {
    const { team, store } = racing(["wrong", "wrong"]);
    const stubborn: Team = { ...team, workflow: (run) => team.workflow(run).catch(() => team.workflow(run)) };
    const run = await runTask(conformanceTask, { team: stubborn, store, limits: { modelCalls: 0 } });
    assertSoundRun(run);
    expect(run.verdict.outcome).toBe("budget");
    expect(run.events.filter(({ payload }) => payload.type === "step")).toHaveLength(2);
  });

  test("gives each candidate its model, effort, temperature, hint and seed", async () => {
    const roles = { coder: { model: "a:other", effort: "high", temperature: 1 } } as const;
    const { team, asked, store } = racing(["wrong", "right"], [{}, { roles, hint: "Slowly.", seed: 7 }]);
    const run = await runTask(conformanceTask, { team, store });
    expect(run.report).toEqual({ seed: 7, hint: "Slowly." });
    const facts = asked.map(({ model, effort, temperature }) => [model, effort, temperature]);
    expect(facts.sort()).toEqual([
      ["a:b", undefined, 0.5],
      ["a:other", "high", 1],
    ]);
  });

  test.each([
    [{ roles: { codre: { effort: "high" } } }, "variants[1].roles.codre: is no role of the team; did you mean coder?"],
    [{ roles: { coder: { model: "a:c" } } }, "a:c is no model of the role; its models are a:b, a:other"],
  ] as [Variant, string][])("does not begin with the candidate %j", async (variant, message) => {
    const { team, asked, store } = racing(["right", "right"], [{}, variant]);
    const { verdict } = await runTask(conformanceTask, { team, store });
    expect(verdict.outcome).toBe("infra-error");
    expect(verdict.reasons[0]).toContain(message);
    expect(asked).toEqual([]);
  });

  test("stays within one budget, whichever candidate spends it", async () => {
    const { team, asked, store } = racing(["wrong", "wrong", "right"]);
    const run = await runTask(conformanceTask, { team, store, limits: { modelCalls: 2 } });
    expect(asked).toHaveLength(2);
    const refused = run.events.find(({ stepId, key }) => stepId === "run/race-try/2" && key === null);
    expect(refused?.payload).toMatchObject({ type: "fault", fault: { code: "BUDGET" } });
  });

  test("ends with its run", async () => {
    const { team, store } = racing(["wrong", "hangs", "hangs"]);
    const running = startRun(conformanceTask, { team, store });
    running.on("failure", () => running.abort("enough"));
    const run = await running.result;
    assertSoundRun(run);
    expect(run.verdict.outcome).toBe("aborted");
  });

  test("that is cut short later still counts as the run's state", async () => {
    const { team, store } = racing(["hangs", "right"]);
    const running = startRun(conformanceTask, { team, store });
    running.on("recovery", () => running.abort("enough"));
    const run = await running.result;
    expect(await run.files()).toMatchObject({
      "main.txt": { base64: Buffer.from("start\nright\n").toString("base64") },
    });
  });
});

describe("a crash in a race", () => {
  test("leaves it open until a candidate has succeeded, and then decided", async () => {
    const { team, store } = racing(["wrong", "right", "hangs"]);
    const { header, events } = await runTask(conformanceTask, { team, store });
    const succeeded = events.findIndex(({ stepId, payload }) => payload.type === "result" && stepId.endsWith("/1"));
    for (let length = 1; length < events.length; length++) {
      const crashed = memoryLogStore();
      await (await crashed.create(header, events.slice(0, length))).close();
      // whoever else could win by now, a success that is in the log stands
      const now = length > succeeded ? racing(["right", "right", "right"]) : racing(["wrong", "right", "hangs"]);
      const options = { team: { ...now.team, defaults: team.defaults }, store: crashed };
      const resumed = await resumeRun(header.runId, options).result;
      assertSoundRun(resumed);
      expect(winnerIn(resumed.events)).toEqual([{ race: "run/race-try", winner: 1, ok: true }]);
      expect(firstDivergence(events, resumed.events)).toBeNull();
      expect((await replayRun(header.runId, options)).divergence).toBeNull();
    }
  });
});

test("a fork in a race runs it to another end where its candidates do otherwise", async () => {
  const { team, store } = racing(["wrong", "wrong", "right"]);
  const run = await runTask(conformanceTask, { team, store });
  const begun = run.events.findIndex(({ stepId, payload }) => payload.type === "attempt" && stepId.includes("/0/"));
  const now = racing(["right", "hangs", "hangs"]);
  const options = { team: { ...now.team, defaults: team.defaults }, store };
  const fork = await forkRun(run.runId, { at: begun, ...options }).result;
  assertSoundRun(fork);
  expect(winnerIn(fork.events)).toEqual([{ race: "run/race-try", winner: 0, ok: true }]);
  expect((await replayRun(fork.runId, options)).divergence).toBeNull();
});
