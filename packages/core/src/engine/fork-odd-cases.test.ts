import { setTimeout as delay } from "node:timers/promises";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { RunEvent } from "../contracts/event.ts";
import type { LLMClient } from "../contracts/model.ts";
import type { Team } from "../contracts/team.ts";
import type { Tool } from "../contracts/tool.ts";
import { ProviderError } from "../errors.ts";
import { firstDivergence } from "../log/divergence.ts";
import { memoryLogStore } from "../log/memory-log-store.ts";
import { ownEvents } from "../log/past.ts";
import { assertSoundRun } from "../testing/assert-sound-run.ts";
import { fakeClock } from "../testing/fake-clock.ts";
import type { ScriptedClient } from "../testing/scripted.ts";
import { conformanceTask, conformanceTeam } from "../testing/team.ts";
import { type ForkOptions, forkRun } from "./fork-run.ts";
import { replayRun } from "./replay-run.ts";
import { resumeRun } from "./resume-run.ts";
import { runTask, startRun } from "./start-run.ts";

const isVerdict = ({ key, kind }: RunEvent) => kind === "verdict" && key !== null;
const isModelBegin = ({ key, payload }: RunEvent) =>
  key !== null && payload.type === "begin" && payload.call.op === "model";

/** A team like another one, whose every role has this client. */
function withClient(team: Team, client: LLMClient): Team {
  const roles = Object.entries(team.roles).map(([name, role]) => [name, { ...role, models: [client] as const }]);
  return { ...team, roles: Object.fromEntries(roles) };
}
const clientOf = (team: Team) => team.roles["coder"]!.models[0] as ScriptedClient;
const named = (team: Team, id: string) => withClient(team, { ...clientOf(team), id });

describe("forks of forks", () => {
  test("keep what each of them was told and by whom it was answered", async () => {
    const store = memoryLogStore();
    const team = conformanceTeam();
    const run = await runTask(conformanceTask, { team, store });
    const [second, third] = [named(team, "b:second"), named(team, "c:third")];
    const middle = await forkRun(run.runId, { at: 12, team: second, store, hint: "First word." }).result;
    const at = middle.events.findIndex(({ stepId, kind }) => stepId === "run/write" && kind === "failure") + 4;
    const last = await forkRun(middle.runId, { at, team: third, store, hint: "Second word." }).result;
    assertSoundRun(last);
    expect(last.verdict.outcome).toBe("verified");
    expect(last.header.parent!.hints.map(({ text }) => text)).toEqual(["First word.", "Second word."]);
    const models = last.events
      .filter(isModelBegin)
      .map(({ payload }) => (payload as { call: { model: string } }).call.model);
    expect([...new Set(models)]).toEqual(["scripted:conformance", "b:second", "c:third"]);
    const told = ownEvents(last)
      .filter(isModelBegin)
      .map(({ payload }) => JSON.stringify(payload));
    expect(told.filter((text) => text.includes("Second word.")).length).toBeGreaterThan(2);
    expect((await replayRun(last.runId, { team: third, store })).divergence).toBeNull();

    const early = await forkRun(middle.runId, { at: 5, team, store }).result; // in the part that is the grandparent's
    expect(early.header.parent!.hints).toEqual([]);
    expect(firstDivergence(run.events, early.events)).toBeNull();
  });

  test("in chains of any places and changes end in a verdict, hold their past, and replay", async () => {
    const change = fc.record({
      place: fc.double({ min: 0, max: 1, noNaN: true }),
      hint: fc.boolean(),
      model: fc.nat(2),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 4 }), async (changes) => {
        const store = memoryLogStore();
        let team = conformanceTeam();
        let run = await runTask(conformanceTask, { team, store });
        for (const { place, hint, model } of changes) {
          const at = Math.round(place * (run.events.findIndex(isVerdict) - 1));
          team = named(team, `m:${model}`);
          const options: ForkOptions = { at, team, store, ...(hint ? { hint: `Word at ${at}.` } : {}) };
          const fork = await forkRun(run.runId, options).result;
          assertSoundRun(fork);
          expect(fork.verdict).toEqual(run.verdict);
          const { shared } = fork.header.parent!;
          const past = run.events.slice(0, at + 1).map(({ tsIndex: _, ...event }) => event);
          for (const { tsIndex: _, ...event } of fork.events.slice(0, shared)) expect(past).toContainEqual(event);
          expect((await replayRun(fork.runId, { team, store })).divergence).toBeNull();
          run = fork;
        }
      }),
      { seed: 7, numRuns: 15 },
    );
  });
});

describe("a fork of a run that did not come to its end", () => {
  test("goes on where that one was aborted, timed out or spent its budget", async () => {
    const team = conformanceTeam();
    const clock = fakeClock();
    const slow = withClient(team, {
      ...clientOf(team),
      async complete(request, options) {
        const answer = await clientOf(team).complete(request, options);
        clock.advance(400);
        return answer;
      },
    });
    for (const outcome of ["aborted", "timeout", "budget"] as const) {
      const store = memoryLogStore();
      const limits = outcome === "budget" ? { modelCalls: 4 } : outcome === "timeout" ? { wallMs: 1000 } : {};
      const running = startRun(conformanceTask, { team: slow, store, clock, limits });
      if (outcome === "aborted") running.on("failure", () => running.abort("enough"));
      const run = await running.result;
      expect(run.verdict.outcome).toBe(outcome);
      const free = { modelCalls: 100, wallMs: 1e6 };
      for (const at of [0, 10, run.events.length - 1]) {
        const fork = await forkRun(run.runId, { at, team, store, limits: free }).result;
        assertSoundRun(fork);
        expect(fork.verdict.outcome).toBe("verified");
        expect(fork.events.filter(({ kind }) => kind === "verdict")).toHaveLength(1);
      }
    }
  });

  test("makes a call again that its provider failed, where it is forked before that call ended", async () => {
    const store = memoryLogStore();
    const team = conformanceTeam();
    const down = withClient(team, {
      ...clientOf(team),
      complete: () => Promise.reject(new ProviderError("AUTH", "no", { status: 401, retryable: false })),
    });
    const run = await runTask(conformanceTask, { team: down, store });
    expect(run.verdict.outcome).toBe("infra-error");
    const begun = run.events.findIndex(isModelBegin);
    expect((await forkRun(run.runId, { at: begun, team, store }).result).verdict.outcome).toBe("verified");
    const after = await forkRun(run.runId, { at: begun + 1, team, store }).result; // there its fault is a fact
    expect(after.verdict.outcome).toBe("infra-error");
    expect(after.usage.modelCalls).toBe(0);
  });

  test("or is under way leaves that one alone", async () => {
    const store = memoryLogStore();
    const team = conformanceTeam();
    const hanging = withClient(team, { ...clientOf(team), complete: () => new Promise<never>(() => {}) });
    const running = startRun(conformanceTask, { team: hanging, store });
    await new Promise((resolve) => running.on("agent", resolve));
    const { events } = await store.read(running.runId);
    const fork = await forkRun(running.runId, { at: events.length - 1, team, store }).result;
    expect(fork.verdict.outcome).toBe("verified");
    running.abort("enough");
    expect((await running.result).verdict.outcome).toBe("aborted");
  });
});

describe("a call with an effect outside that had not ended", () => {
  const mailing = (idempotent: boolean) => {
    const base = conformanceTeam();
    const sent: string[] = [];
    const mail: Tool<Record<string, never>> = {
      name: "mail",
      description: "Sends a mail.",
      input: z.strictObject({}),
      effect: "outside",
      idempotent,
      async call(_, { callId }) {
        sent.push(callId);
        await delay(1);
        return { ok: true, output: "sent" };
      },
    };
    const script = clientOf(base);
    const mailer: LLMClient = {
      ...script,
      complete: (request, options) =>
        options.at.stepId === "run/write" && options.at.attempt === 1 && options.at.nth === 0
          ? script.complete(request, options).then((answer) => ({
              ...answer,
              parts: [{ type: "tool" as const, id: "m", tool: "mail", args: {} }, ...answer.parts],
            }))
          : script.complete(request, options),
    };
    const roles = withClient(base, mailer).roles;
    const coder = { ...roles["coder"]!, tools: [...roles["coder"]!.tools, mail] };
    return { team: { ...base, roles: { ...roles, coder } } as Team, sent };
  };

  test.each([
    [false, 1],
    [true, 2],
  ])("(idempotent: %s) is made %d times in all", async (idempotent, times) => {
    const store = memoryLogStore();
    const { team, sent } = mailing(idempotent);
    const run = await runTask(conformanceTask, { team, store });
    const begun = run.events.findIndex(({ payload }) => payload.type === "begin" && payload.effect === "outside");
    expect(sent).toHaveLength(1);
    const fork = await forkRun(run.runId, { at: begun, team, store }).result;
    assertSoundRun(fork);
    expect(fork.verdict.outcome).toBe("verified");
    expect(sent).toHaveLength(times);
    const interrupted = fork.events.filter(
      ({ payload }) => payload.type === "end" && payload.fault?.code === "INTERRUPTED",
    );
    expect(interrupted).toHaveLength(2 - times);
    expect((await resumeRun(fork.runId, { team, store }).result).verdict.outcome).toBe("verified");
    expect((await replayRun(fork.runId, { team, store })).divergence).toBeNull();
    expect(sent).toHaveLength(times);
  });
});

test("a hint that is shaped like a key is told without it, and enters no log", async () => {
  const store = memoryLogStore();
  const team = conformanceTeam();
  const run = await runTask(conformanceTask, { team, store });
  const secrets = ["correct-horse-battery"];
  const before = clientOf(team).requests.length;
  const hint = "Log in with correct-horse-battery.";
  const fork = await forkRun(run.runId, { at: 10, team, store, secrets, hint }).result;
  assertSoundRun(fork);
  expect(fork.verdict.outcome).toBe("verified");
  const seen = JSON.stringify(clientOf(team).requests.slice(before)) + fork.toJsonl();
  expect(seen).toContain("Log in with ");
  expect(seen).not.toContain("correct-horse-battery");
});
