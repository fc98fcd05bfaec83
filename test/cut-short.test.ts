import type { DevTeamReport } from "@swarm/agents";
import { forkRun, memoryLogStore, type RunEvent, resumeRun, runPath, startRun, type Trajectory } from "@swarm/core";
import { assertEqualRuns, assertSoundRun, fakeClock, memorySandbox } from "@swarm/core/testing";
import { expect, test } from "vitest";
import { mermaidOf } from "../packages/cli/src/graph/mermaid.ts";
import { oddOracle, oddTests } from "./odd/judges.ts";
import { oddModel } from "./odd/model.ts";
import { PLAIN, TEAMS } from "./odd/teams.ts";

const WAYS = ["aborted", "timeout", "budget"] as const;
const FREE = { modelCalls: 1_000, wallMs: 1_000_000 };
/** What limits the calls of a kind. */
const BUDGETS: Record<string, "modelCalls" | "toolCalls"> = { model: "modelCalls", tool: "toolCalls" };
const MOST_SEEDS = 60;

/** A run by chance in which every model does its part, and what it is made of. */
function runOf(name: string, seed: number) {
  const teamWith = (id: string) => TEAMS[name]!({ ...oddModel(seed, 0), id }, seed);
  const team = teamWith("test:model");
  const parts = { team, sandbox: memorySandbox(), oracle: oddOracle(seed), tests: oddTests(seed, 0.7) };
  /** From the start, until `onEvent` cuts it off. */
  async function start(onEvent: (event: RunEvent, how: { abort(): void; passTime(): void }) => void, limits = FREE) {
    const store = memoryLogStore();
    const clock = fakeClock();
    const run = startRun(PLAIN, { ...parts, store, clock, limits, runId: "run" });
    const how = { abort: () => run.abort("enough"), passTime: () => clock.advance(FREE.wallMs) };
    run.on("event", (event) => onEvent(event, how));
    const trajectory = await run.result;
    assertSoundRun(trajectory);
    const ports = { ...parts, store, clock, limits: { ...FREE, toolCalls: 1_000, wallMs: 1e9 } };
    return {
      trajectory,
      goOn: () => resumeRun("run", ports).result,
      /** As another run, told something, with a model of another name. */
      forkAt: (at: number) => forkRun("run", { ...ports, team: teamWith("test:other"), at, hint: "Mind it." }).result,
    };
  }
  return { programs: team.programs.map((program) => program.name), start };
}

/** What a run is at when a call begins: the program, and who asks whom. */
function phaseOf({ stepId, agent, payload }: RunEvent): string | null {
  if (payload.type !== "begin") return null;
  const program = stepId
    .split("/")
    .at(-1)!
    .replace(/\.\d+$/, "");
  return [program, agent, payload.call.op].join(" ");
}

test.each(Object.keys(TEAMS))(
  "%s, forked or cut off in each of its phases, says so and comes to the end that it would have had",
  async (name) => {
    const phases = new Set<string>();
    const programs = new Set<string>();
    const isCovered = () => runOf(name, 0).programs.every((program) => programs.has(program));
    for (let seed = 0; !isCovered(); seed++) {
      expect(seed, `not in ${[...programs]}`).toBeLessThan(MOST_SEEDS);
      const { start } = runOf(name, seed);
      const { trajectory: whole, forkAt } = await start(() => {});
      for (const { tsIndex, ...event } of whole.events) {
        const phase = phaseOf({ tsIndex, ...event });
        if (phase === null || phases.has(phase)) continue;
        phases.add(phase);
        programs.add(phase.split(" ")[0]!);
        const fork = await forkAt(tsIndex);
        assertSoundRun(fork);
        expect([fork.verdict, fork.report], `${name}, seed ${seed}, forked at ${tsIndex}`).toEqual([
          whole.verdict,
          whole.report,
        ]);
        for (const way of WAYS) {
          const told = `${name}, seed ${seed}, ${way} at event ${tsIndex}, ${phase}`;
          const op = phase.split(" ").at(-1)!;
          const used = whole.events.slice(0, tsIndex).filter((one) => phaseOf(one)?.endsWith(` ${op}`)).length;
          if (way === "budget" && (used === 0 || !(op in BUDGETS))) continue;
          const limits = way === "budget" ? { ...FREE, [BUDGETS[op]!]: used } : FREE;
          const { trajectory, goOn } = await start((event, { abort, passTime }) => {
            if (event.tsIndex !== tsIndex) return;
            if (way === "aborted") abort();
            if (way === "timeout") passTime();
          }, limits);
          expect(trajectory.verdict, told).toMatchObject({ passed: false, outcome: way });
          expect(mermaidOf(runPath(trajectory)), told).toContain(`(["${way}`);
          checkReport(trajectory, told);
          const resumed = await goOn();
          assertSoundRun(resumed);
          assertEqualRuns(whole, resumed);
          expect(resumed.report, told).toEqual(whole.report);
        }
      }
    }
  },
  300_000,
);

/** A report that stands for a run that was cut off calls it so, and no task done that was not closed. */
function checkReport({ report, events }: Trajectory, told: string): void {
  if (report === null) return;
  const { status, tasks } = report as DevTeamReport;
  expect(status, told).toBe("aborted");
  const closed = events.filter(({ payload }) => payload.type === "note" && "closed" in payload.note);
  expect(tasks.filter((task) => task.status !== "open").length, told).toBeLessThanOrEqual(closed.length);
}
