import { expect, test } from "vitest";
import type { LLMClient } from "../contracts/model.ts";
import type { Role, Team } from "../contracts/team.ts";
import { ProviderError } from "../errors.ts";
import { memoryLogStore } from "../log/memory-log-store.ts";
import { scripted } from "../testing/scripted.ts";
import { conformanceTask, conformanceTeam } from "../testing/team.ts";
import { recorded } from "./recorded.ts";
import { runTask } from "./start-run.ts";

const run = (team: Team) => runTask(conformanceTask, { team, store: memoryLogStore() });
const ID = "scripted:conformance";
const whole = await run(conformanceTeam());

function teamWith(model: LLMClient, role: Partial<Role> = {}): Team {
  const team = conformanceTeam();
  const roles = Object.entries(team.roles).map(([name, own]) => [name, { ...own, models: [model] as const, ...role }]);
  return { ...team, roles: Object.fromEntries(roles) };
}

test("answers as the model did, all of it", async () => {
  const model = recorded({ id: ID }, whole.events);
  const again = await run(teamWith(model));
  expect(again.verdict).toEqual(whole.verdict);
  expect(again.usage).toEqual(whole.usage);
  model.assertComplete();
});

test("notices a prompt that was changed, unless it does not matter", async () => {
  const changed = { system: "Something else." };
  const strict = await run(teamWith(recorded({ id: ID }, whole.events), changed));
  expect(strict.events.find(({ payload }) => payload.type === "end" && payload.fault !== null)?.payload).toMatchObject({
    fault: { code: "REQUEST_DIFFERS", message: expect.stringMatching(/^run\/write, attempt 0, coder, call 0 asks/) },
  });
  const model = recorded({ id: ID }, whole.events, { requests: "any" });
  expect((await run(teamWith(model, changed))).verdict.outcome).toBe("verified");
});

test("fails where it was not asked all, and where the log has no answer of the model", async () => {
  const model = recorded({ id: ID }, whole.events);
  expect(() => model.assertComplete()).toThrow(/never asked for/);
  const { verdict } = await run(teamWith(recorded({ id: "other:model" }, whole.events)));
  expect(verdict).toMatchObject({ passed: false, outcome: "infra-error" });
  const open = whole.events.filter(({ payload }) => payload.type !== "end" || payload.tokens === undefined);
  const cut = await run(teamWith(recorded({ id: ID }, open)));
  expect(cut.verdict.reasons[0]).toContain("never ended in the log");
});

test("fails as the model did, and is not asked again for it", async () => {
  const down = {
    ...scripted("a:b", {}),
    async complete(): Promise<never> {
      throw new ProviderError("AUTHENTICATION", "who are you?", { status: 401, retryable: false });
    },
  };
  const failed = await run(teamWith(down));
  const again = await run(teamWith(recorded({ id: "a:b" }, failed.events)));
  expect(again.failureSignature).toBe(failed.failureSignature);
  expect(again.usage.modelCalls).toBe(failed.usage.modelCalls);
});
