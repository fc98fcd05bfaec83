import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { LLMClient } from "../contracts/model.ts";
import { defineProgram } from "../contracts/program.ts";
import type { Team } from "../contracts/team.ts";
import { costReport } from "../log/cost-report.ts";
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
