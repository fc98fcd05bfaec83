import {
  CODER_ROLES,
  CODESWARM_ROLES,
  coder,
  codeswarm,
  DEV_TEAM_ROLES,
  devTeam,
  SELF_HEALING_ROLES,
  selfHealing,
} from "@swarm/agents";
import { createGuard, type LLMClient, memoryLogStore, ProviderError, runTask, type Team } from "@swarm/core";
import { assertSoundRun, memorySandbox } from "@swarm/core/testing";
import { expect, test } from "vitest";
import { oddOracle, oddTests } from "./odd/judges.ts";
import { oddModel } from "./odd/model.ts";
import { PLAIN } from "./odd/teams.ts";

type Models = { model: LLMClient; models: Record<string, readonly [LLMClient, LLMClient]> };
const TEAMS: Record<string, { roles: readonly string[]; make(models: Models): Team }> = {
  codeswarm: { roles: CODESWARM_ROLES, make: codeswarm },
  "self-healing": { roles: SELF_HEALING_ROLES, make: selfHealing },
  "dev-team": { roles: DEV_TEAM_ROLES, make: devTeam },
  coder: { roles: CODER_ROLES, make: coder },
};
const MOST_SEEDS = 60;

const down = new ProviderError("OVERLOADED", "down", { retryable: true, status: 529 });
const asked: string[] = [];
const broken: LLMClient = {
  ...oddModel(0, 0),
  id: "test:down",
  async complete(_, { at }) {
    asked.push(at.role);
    throw down;
  },
};

test.each(Object.entries(TEAMS).flatMap(([name, { roles }]) => roles.map((role) => [name, role] as const)))(
  "%s's %s goes on with its fallback where the circuit of its model is open, with the same end",
  async (name, role) => {
    for (let seed = 0; ; seed++) {
      expect(seed, `${role} was never asked`).toBeLessThan(MOST_SEEDS);
      const model = oddModel(seed, 0);
      const run = async (models: Models["models"]) => {
        const guard = createGuard({ failureThreshold: 1, retries: 0 });
        const dependency = `llm:${role}:${broken.id}`;
        const signal = new AbortController().signal;
        const opening = { dependency, signal, idempotent: true, run: () => Promise.reject(down), notice() {} };
        await expect(guard.call(opening)).rejects.toThrow();
        const team = TEAMS[name]!.make({ model, models });
        const ports = { sandbox: memorySandbox(), oracle: oddOracle(seed), tests: oddTests(seed, 0.7) };
        const trajectory = await runTask(PLAIN, { ...ports, team, guard, store: memoryLogStore() });
        guard.dispose();
        assertSoundRun(trajectory);
        return trajectory;
      };
      const plain = await run({});
      const calls = plain.events.filter(
        ({ agent, payload }) => agent === role && payload.type === "begin" && payload.call.op === "model",
      ).length;
      if (calls === 0) continue;
      // each call is the second making of one: the first is that to the model whose circuit is open
      const second: LLMClient = {
        ...model,
        complete: (request, { signal, at }) =>
          model.complete(request, { signal, at: { ...at, nth: (at.nth - 1) / 2 } }),
      };
      const { verdict, report, events } = await run({ [role]: [broken, second] });
      expect([verdict, report]).toEqual([plain.verdict, plain.report]);
      const recovered = events.flatMap(({ agent, payload }) =>
        payload.type === "recovered" && payload.how === "fallback" ? [[agent, payload.detail]] : [],
      );
      expect(recovered).toEqual(Array.from({ length: calls }, () => [role, model.id]));
      expect(asked).toEqual([]);
      return;
    }
  },
);
