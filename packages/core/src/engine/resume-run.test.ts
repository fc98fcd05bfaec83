import { describe, expect, test } from "vitest";
import { z } from "zod";
import { faultOf } from "../contracts/fault.ts";
import type { LLMClient } from "../contracts/model.ts";
import { defineProgram } from "../contracts/program.ts";
import type { Team } from "../contracts/team.ts";
import { LogError } from "../errors.ts";
import { costReport } from "../log/cost-report.ts";
import { firstDivergence } from "../log/divergence.ts";
import type { LogStore, LogWriter } from "../log/log-store.ts";
import { memoryLogStore } from "../log/memory-log-store.ts";
import { assertSoundRun } from "../testing/assert-sound-run.ts";
import { scripted } from "../testing/scripted.ts";
import { conformanceTask, conformanceTeam } from "../testing/team.ts";
import { replayRun } from "./replay-run.ts";
import { resumeRun } from "./resume-run.ts";
import { runTask, startRun } from "./start-run.ts";

/** A team whose one step asks its model once. */
function asking(model: LLMClient): Team {
  const base = conformanceTeam();
  const program = defineProgram({
    name: "ask",
    input: z.null(),
    output: z.json(),
    attempt: async (context) => context.done((await context.role("coder").ask({ turns: [] })).stop),
  });
  return {
    ...base,
    roles: { coder: { ...base.roles["coder"]!, models: [model] as const, maxTokens: 100 } },
    programs: [program],
    workflow: async (run) => (await run.step(program, null)).ok,
  };
}

describe("a run that has its verdict", () => {
  test("keeps it, whatever resumes it", async () => {
    const store = memoryLogStore();
    const team = conformanceTeam();
    const { runId, events } = await runTask(conformanceTask, { team, store });
    const other: Team = {
      ...team,
      async workflow(run) {
        await run.note("someone", { else: true });
        return team.workflow(run);
      },
    };
    for (const options of [{ team: other }, { team, signal: AbortSignal.abort() }]) {
      const trajectory = await resumeRun(runId, { store, sandbox: team.defaults.sandbox(), ...options }).result;
      expect(trajectory.verdict.outcome).toBe("verified");
      expect(trajectory.events).toHaveLength(events.length);
    }
  });
});

describe("a log that fails once", () => {
  /** Fails at the append with this number, and works before and after it. */
  function failingAt(store: LogStore, append: number) {
    const log = { appends: 0 };
    const wrapped = (writer: LogWriter): LogWriter => ({
      append(events) {
        if (log.appends++ === append) throw new LogError("LOG_WRITE_FAILED", "the disk was full for a moment");
        writer.append(events);
      },
      acknowledge: (critical) => writer.acknowledge(critical),
      close: () => writer.close(),
    });
    const failing: LogStore = {
      ...store,
      create: async (header, past) => wrapped(await store.create(header, past)),
    };
    return { failing, log };
  }

  test("takes nothing more, whatever would still fit, so that a resume ends as the run would have", async () => {
    const whole = await runTask(conformanceTask, { team: conformanceTeam(), store: memoryLogStore() });
    for (let append = 0; ; append++) {
      const store = memoryLogStore();
      const team = conformanceTeam();
      const { failing, log } = failingAt(store, append);
      const run = startRun(conformanceTask, { team, store: failing });
      const error: unknown = await run.result.then(
        () => null,
        (error) => error,
      );
      if (log.appends <= append) break; // the run is over before that many
      expect([append, error]).toEqual([append, expect.objectContaining({ code: "LOG_WRITE_FAILED" })]);
      const { events } = await resumeRun(run.runId, { team, store, sandbox: team.defaults.sandbox() }).result;
      expect([append, firstDivergence(whole.events, events)]).toEqual([append, null]);
    }
  });
});

describe("a budget", () => {
  test("counts every request, also those that an abort cut off", async () => {
    let requests = 0;
    const hanging: LLMClient = {
      ...scripted("a:b", {}),
      price: { input: 0, output: 1 },
      complete() {
        requests++;
        return new Promise(() => {});
      },
    };
    const team = asking(hanging);
    const store = memoryLogStore();
    const cutShort = async (run: ReturnType<typeof startRun>) => {
      run.on("agent", () => setTimeout(() => run.abort("cut"), 5));
      const trajectory = await run.result;
      assertSoundRun(trajectory);
      return trajectory;
    };
    const { runId } = await cutShort(startRun(conformanceTask, { team, store, limits: { modelCalls: 3 } }));
    for (let again = 0; again < 2; again++) await cutShort(resumeRun(runId, { team, store }));
    expect(requests).toBe(3);
    const refused = await resumeRun(runId, { team, store }).result;
    expect(refused.verdict.outcome).toBe("budget");
    expect(requests).toBe(3);
    expect(refused.usage.modelCalls).toBe(3);
    expect(costReport(refused).total).toMatchObject({ calls: 3, usd: refused.usage.usd });
  });

  test("may be raised by who resumes, and a replay does not ask for it", async () => {
    const store = memoryLogStore();
    const team = conformanceTeam();
    const { runId, verdict } = await runTask(conformanceTask, { team, store, limits: { modelCalls: 3 } });
    expect(verdict.outcome).toBe("budget");
    const resumed = await resumeRun(runId, { team, store, limits: { modelCalls: 100 } }).result;
    expect(resumed.verdict.outcome).toBe("verified");
    expect((await replayRun(runId, { team, store })).divergence).toBeNull();
  });
});

test("a team whose configuration holds what is redacted is still itself", async () => {
  const store = memoryLogStore();
  const team = { ...conformanceTeam(), config: { url: `http://host/?key=${"k".repeat(24)}` } };
  const { runId } = await runTask(conformanceTask, { team, store });
  expect((await resumeRun(runId, { team, store }).result).verdict.outcome).toBe("verified");
});

describe("a run that was aborted and goes on", () => {
  /** Two runners: the first one asks and comes in, the second one gives up at once. */
  function racing(): Team {
    const base = asking(scripted("a:b", { "run/race-run/0/run|coder|0.0": "here" }));
    const program = defineProgram({
      name: "run",
      input: z.null(),
      output: z.null(),
      async attempt(context) {
        if (context.seed === 1) return context.fail(faultOf({ code: "LOST", message: "gives up" }));
        await context.role("coder").ask({ turns: [] });
        return context.done(null);
      },
    });
    const variants = [{ seed: 0 }, { seed: 1 }];
    return { ...base, programs: [program], workflow: async (run) => (await run.race(program, null, variants)).ok };
  }

  test("amid a race has no winner yet, whoever had come to an end by then", async () => {
    const store = memoryLogStore();
    const team = racing();
    const run = startRun(conformanceTask, { team, store });
    run.on("failure", () => run.abort("cut"));
    const cut = await run.result;
    expect(cut.verdict.outcome).toBe("aborted");
    expect(cut.events.filter(({ payload }) => payload.type === "recovered")).toEqual([]);
    const { report } = await resumeRun(run.runId, { team, store }).result;
    expect(report).toBe(true);
  });

  test("has the signature of its own failure, not that of the abort", async () => {
    const store = memoryLogStore();
    const base = asking(scripted("a:b", {}));
    const program = defineProgram({
      name: "fail",
      input: z.null(),
      output: z.null(),
      attempt: async (context) => context.fail(faultOf({ code: "WRONG", message: "wrong" })),
    });
    const team: Team = { ...base, programs: [program], workflow: async (run) => (await run.step(program, null)).ok };
    const run = startRun(conformanceTask, { team, store });
    run.on("failure", () => run.abort("cut"));
    await run.result;
    const resumed = await resumeRun(run.runId, { team, store }).result;
    const { failureSignature } = await runTask(conformanceTask, { team, store: memoryLogStore() });
    expect(resumed.failureSignature).toBe(failureSignature);
    expect(costReport(resumed).error).toBeNull();
  });
});
