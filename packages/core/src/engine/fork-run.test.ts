import { describe, expect, test } from "vitest";
import type { RunEvent } from "../contracts/event.ts";
import type { LLMClient } from "../contracts/model.ts";
import type { Team } from "../contracts/team.ts";
import { canonicalEvent } from "../log/canonical.ts";
import { costReport } from "../log/cost-report.ts";
import { firstDivergence } from "../log/divergence.ts";
import { memoryLogStore } from "../log/memory-log-store.ts";
import { ownEvents } from "../log/past.ts";
import { turnsOf } from "../log/thread.ts";
import { assertSoundRun } from "../testing/assert-sound-run.ts";
import { fakeClock } from "../testing/fake-clock.ts";
import type { ScriptedClient } from "../testing/scripted.ts";
import { conformanceTask, conformanceTeam } from "../testing/team.ts";
import { forkRun } from "./fork-run.ts";
import { replayRun } from "./replay-run.ts";
import { resumeRun } from "./resume-run.ts";
import { runTask } from "./start-run.ts";

const isVerdict = ({ key, kind }: RunEvent) => kind === "verdict" && key !== null;
const placeOf = (events: readonly RunEvent[], is: (event: RunEvent) => boolean) => events.findIndex(is);

/** A run of the conformance team, and what forks of it need. */
async function parent(config = {}) {
  const store = memoryLogStore();
  const team = conformanceTeam(config);
  const run = await runTask(conformanceTask, { team, store });
  return { store, team, run };
}

/** The team with another model for every role. */
function withModel(team: Team, id: string): Team {
  const model = { ...team.roles["coder"]!.models[0], id };
  const roles = Object.entries(team.roles).map(([name, role]) => [name, { ...role, models: [model] as const }]);
  return { ...team, roles: Object.fromEntries(roles), config: { ...team.config, model: id } };
}

describe("a fork with nothing changed", () => {
  test("at every event shares its past, and ends as its parent did; so does its replay", async () => {
    const { store, team, run } = await parent();
    const last = placeOf(run.events, isVerdict) - 1;
    for (let at = 0; at <= last; at++) {
      const fork = await forkRun(run.runId, { at, team, store }).result;
      assertSoundRun(fork);
      const { shared } = fork.header.parent!;
      const past = fork.events.slice(0, shared).map(canonicalEvent);
      const before = run.events.slice(0, at + 1).map(canonicalEvent);
      expect(before.filter((event) => past.includes(event))).toEqual(past);
      expect(firstDivergence(run.events, fork.events)).toBeNull();
      expect(fork.verdict).toEqual(run.verdict);
      expect(fork.state).toEqual(run.state);
      expect((await replayRun(fork.runId, { team, store })).divergence).toBeNull();
    }
    expect((await store.read(run.runId)).events).toHaveLength(run.events.length);
  });

  test("leaves out of its past only calls that had not ended, and what the infrastructure did", async () => {
    const { store, team, run } = await parent();
    const at = placeOf(run.events, ({ payload }) => payload.type === "begin" && payload.call.op === "model");
    const fork = await forkRun(run.runId, { at, team, store }).result;
    expect(fork.header.parent).toMatchObject({ runId: run.runId, at, shared: at });
    expect(ownEvents(fork)[0]!.payload).toMatchObject({ note: { event: "forked", run: run.runId, at } });
  });

  test("that a crash cut off resumes to the same end", async () => {
    const { store, team, run } = await parent();
    const at = Math.floor(run.events.length / 3);
    const fork = await forkRun(run.runId, { at, team, store }).result;
    for (let length = fork.header.parent!.shared; length < fork.events.length; length++) {
      const crashed = memoryLogStore();
      await (await crashed.create(fork.header, fork.events.slice(0, length))).close();
      const resumed = await resumeRun(fork.runId, { team, store: crashed }).result;
      assertSoundRun(resumed);
      expect(firstDivergence(fork.events, resumed.events)).toBeNull();
      expect(resumed.verdict).toEqual(fork.verdict);
    }
  });
});

test("a fork whose shared past was torn is not gone on with", async () => {
  const { store, team, run } = await parent();
  const fork = await forkRun(run.runId, { at: 30, team, store }).result;
  const torn = memoryLogStore();
  await (await torn.create(fork.header, fork.events.slice(0, 20))).close();
  await expect(resumeRun(fork.runId, { team, store: torn }).result).rejects.toThrowError(
    `the log ends after 20 of the ${fork.header.parent!.shared} events that it shares with run ${run.runId}`,
  );
});

describe("a fork with another model", () => {
  test("keeps the answers of the past, and asks the new model from there on", async () => {
    const { store, team, run } = await parent();
    const last = placeOf(run.events, isVerdict) - 1;
    const other = withModel(team, "other:model");
    for (let at = 0; at <= last; at += 3) {
      const fork = await forkRun(run.runId, { at, team: other, store }).result;
      assertSoundRun(fork);
      expect(fork.verdict.outcome).toBe("verified");
      const asked = ownEvents(fork).flatMap(({ payload }) =>
        payload.type === "begin" && payload.call.op === "model" ? [payload.call.model] : [],
      );
      expect(new Set(asked)).toEqual(new Set(asked.length > 0 ? ["other:model"] : []));
      expect(fork.header).toMatchObject({
        team: { config: { model: "other:model" } },
        parent: { team: { config: {} } },
      });
      expect((await replayRun(fork.runId, { team: other, store })).divergence).toBeNull();
    }
  });

  test("tells in the log exactly what it asked, though the past was asked otherwise", async () => {
    const { thinking, requests } = thinkingTeam();
    const store = memoryLogStore();
    const run = await runTask(conformanceTask, { team: thinking, store });
    const at = placeOf(run.events, ({ key, payload }) => key === "0.7" && payload.type === "end");
    const before = requests.length;
    const other = withModel(thinking, "other:model");
    const fork = await forkRun(run.runId, { at, team: other, store, hint: "Think again." }).result;
    const asked = ownEvents(fork).filter(({ payload }) => payload.type === "begin" && payload.call.op === "model");
    expect(asked.length).toBeGreaterThan(3);
    const told = asked.map(({ stepId, key }) => turnsOf(fork.events, stepId, key ?? ""));
    const sent = requests.slice(before).map(({ request }) => request.turns);
    expect(told.map((turns) => JSON.stringify(turns)).sort()).toEqual(
      sent.map((turns) => JSON.stringify(turns)).sort(),
    );
    expect(JSON.stringify(told)).not.toContain("reasoning"); // which only its own provider may see again
  });
});

/** The conformance team with a model that gives a reasoning block in each answer. */
function thinkingTeam() {
  const base = conformanceTeam();
  const model = base.roles["coder"]!.models[0] as ScriptedClient;
  const thoughtful: LLMClient = {
    ...model,
    async complete(request, options) {
      const answer = await model.complete(request, options);
      const thought = { type: "reasoning", provider: "scripted", data: "hm" } as const;
      return { ...answer, parts: [thought, ...answer.parts] };
    },
  };
  const roles = Object.entries(base.roles).map(([name, role]) => [name, { ...role, models: [thoughtful] as const }]);
  return { thinking: { ...base, roles: Object.fromEntries(roles) } as Team, requests: model.requests };
}

describe("a hint", () => {
  test("is told once in each attempt from there on, where its next model is asked", async () => {
    const { store, team, run } = await parent();
    const at = placeOf(run.events, ({ stepId, payload }) => stepId === "run/write" && payload.type === "end");
    const fork = await forkRun(run.runId, { at, team, store, hint: "Mind the umlauts." }).result;
    assertSoundRun(fork);
    const hinted = ownEvents(fork).flatMap(({ stepId, key, agent, payload }) =>
      payload.type === "begin" && payload.call.op === "model" && JSON.stringify(payload.call.add).includes("umlauts")
        ? [`${stepId} ${key} ${agent}`]
        : [],
    );
    const attempts = ownEvents(fork).filter(({ payload }) => payload.type === "attempt");
    expect(hinted).toHaveLength(attempts.length + 1);
    expect(hinted[0]).toBe("run/write 0.3 coder");
    expect(fork.header.parent!.hints).toEqual([{ text: "Mind the umlauts.", from: fork.header.parent!.shared }]);
    expect((await replayRun(fork.runId, { team, store })).divergence).toBeNull();
  });

  test("stays in the thread of who was told, and never stands between a call and its result", async () => {
    const { store, team, run } = await parent();
    const at = placeOf(run.events, ({ payload }) => payload.type === "attempt");
    const client = team.roles["coder"]!.models[0] as ScriptedClient;
    const before = client.requests.length;
    await forkRun(run.runId, { at, team, store, hint: "Slowly." }).result;
    const asked = client.requests.slice(before).filter(({ at }) => at.stepId === "run/write" && at.role === "coder");
    const [first, second] = asked.map(({ request }) => request.turns);
    const hint = { role: "user", parts: [{ type: "text", text: "Slowly." }] };
    expect(first!.at(-1)).toEqual(hint);
    expect(second!.slice(0, first!.length)).toEqual(first);
    expect(second!.slice(first!.length).map(({ role }) => role)).toEqual(["assistant", "user"]);
  });
});

describe("what a fork may spend", () => {
  test("is counted from the fork on; what the past cost is told apart", async () => {
    const { store, team, run } = await parent();
    const at = placeOf(run.events, ({ kind }) => kind === "failure");
    const { usage } = run;
    const full = await forkRun(run.runId, { at, team, store }).result;
    const own = full.usage.modelCalls;
    expect(own).toBeLessThan(usage.modelCalls);
    const report = costReport(full);
    expect(report.total.calls).toBe(own);
    expect(report.inherited.calls + own).toBe(usage.modelCalls);
    const enough = await forkRun(run.runId, { at, team, store, limits: { modelCalls: own } }).result;
    expect(enough.verdict.outcome).toBe("verified");
    const short = await forkRun(run.runId, { at, team, store, limits: { modelCalls: own - 3 } }).result;
    expect(short.verdict.outcome).toBe("budget");
    expect(short.usage.modelCalls).toBe(own - 3);
    const resumed = await resumeRun(short.runId, { team, store, limits: { modelCalls: own } }).result;
    expect(resumed.verdict.outcome).toBe("verified");
  });

  test("is what its parent might, where nothing else is said, and time counts from the fork on", async () => {
    const store = memoryLogStore();
    const team = conformanceTeam();
    const limits = { modelCalls: 3, wallMs: 60_000 };
    const run = await runTask(conformanceTask, { team, store, limits });
    expect(run.verdict.outcome).toBe("budget");
    const later = fakeClock(1e12);
    const options = { at: run.events.length - 1, team, store, clock: later };
    const fork = await forkRun(run.runId, options).result;
    expect(fork.header.limits).toEqual(limits);
    expect(fork.usage.modelCalls).toBe(3);
    expect(ownEvents(fork)[0]!.payload.measured!["elapsedMs"]).toBe(0);
    const free = await forkRun(run.runId, { ...options, limits: { modelCalls: 100 } }).result;
    expect(free.verdict.outcome).toBe("verified");
  });
});

describe("is refused, and leaves nothing behind:", () => {
  test("a fork where there is nothing to fork", async () => {
    const { store, team, run } = await parent();
    const verdict = placeOf(run.events, isVerdict);
    const last = verdict - 1;
    const refused = (at: number, nearest: string) =>
      expect(forkRun(run.runId, { at, team, store, runId: "fork" }).result).rejects.toThrowError(
        `at: has to be an event from 0 to ${last}, and is ${at}; the nearest is ${nearest}`,
      );
    await refused(-1, "0, the first one");
    for (const at of [verdict, 1000, 1.5, Number.NaN])
      await refused(at, `${last}, the last one before the verdict, which ends the run`);
    await expect(store.read("fork")).rejects.toThrowError("not there");
  });

  test("a team of another name, a hint that says nothing, an id that is taken, a run that is not there", async () => {
    const { store, team, run } = await parent();
    const refused = (options: object, parent = run.runId) =>
      expect(forkRun(parent, { at: 3, team, store, runId: "fork", ...options }).result).rejects;
    await refused({ team: { ...team, name: "else" } }).toMatchObject({ code: "TEAM_MISMATCH" });
    await refused({ hint: " " }).toMatchObject({ field: "hint" });
    await refused({ runId: run.runId }).toMatchObject({ code: "LOG_EXISTS" });
    await refused({ runId: "../x" }).toMatchObject({ field: "runId" });
    await refused({ workspace: "app" }).toMatchObject({ field: "workspace" });
    await refused({}, "nothing").toMatchObject({ code: "NOT_FOUND" });
    await expect(store.read("fork")).rejects.toThrowError("not there");
  });
});

test("a team that does something else over the past ends the fork, and the verdict names the event", async () => {
  const { store, team, run } = await parent();
  const other: Team = {
    ...team,
    async workflow(run) {
      await run.note("someone", { else: true });
      return team.workflow(run);
    },
  };
  const fork = await forkRun(run.runId, { at: 20, team: other, store }).result;
  expect(fork.verdict).toMatchObject({ outcome: "infra-error" });
  expect(fork.verdict.reasons[0]).toContain("event 2, of the past that the fork shares: fork before it");
  expect((await forkRun(run.runId, { at: 1, team: other, store }).result).verdict.outcome).toBe("verified");
});
