import type { RunEvent } from "../contracts/event.ts";
import type { LLMClient, LLMResponse } from "../contracts/model.ts";
import type { Team } from "../contracts/team.ts";
import type { Trajectory } from "../contracts/trajectory.ts";
import { CallError, ProviderError } from "../errors.ts";
import { type Divergence, firstDivergence } from "../log/canonical.ts";
import { memoryLogStore } from "../log/memory-log-store.ts";
import { winnersOf } from "../log/races.ts";
import { LocalExecutor } from "./local-executor.ts";
import { checkTeam, sealedTask } from "./resume-run.ts";
import { type RunOptions, resolvePorts } from "./run-options.ts";
import { launch } from "./start-run.ts";

export type Replay = {
  /** The first event that came out otherwise; `event` is the recorded one, `other` the new one. Null: all were equal. */
  divergence: Divergence | null;
  trajectory: Trajectory;
};

/**
 * Runs a log again with no key and no network: every model answer comes from the log, every tool and test runs for real in
 * a fresh workspace, and each event is compared with the recorded one. The log itself is only read.
 */
export async function replayRun(runId: string, options: RunOptions): Promise<Replay> {
  const ports = resolvePorts(options);
  const { header, events } = await ports.store.read(runId);
  checkTeam(header, ports);
  const task = await sealedTask(header, ports);
  const team = withModels(ports.team, (model) => recorded(model, events));
  const trajectory = await launch(runId, async () => ({
    ports: { ...ports, team, executor: new LocalExecutor(), store: memoryLogStore(), limits: {} },
    task,
    past: { header, events: [] },
    writer: await memoryLogStore().create(header),
    winners: winnersOf(events),
  })).result;
  return { divergence: firstDivergence(events, trajectory.events), trajectory };
}

/** A client that answers as `model` did in a run, by step, attempt, role and call number. Makes no request. */
export function recorded(model: Pick<LLMClient, "id" | "window" | "price">, events: readonly RunEvent[]): LLMClient {
  return {
    specificationVersion: "v1",
    id: model.id,
    window: model.window,
    price: model.price,
    async complete(_request, { at }): Promise<LLMResponse> {
      const begins = events.filter(
        ({ stepId, key, agent, payload }) =>
          stepId === at.stepId &&
          agent === at.role &&
          key?.startsWith(`${at.attempt}.`) &&
          payload.type === "begin" &&
          payload.call.op === "model",
      );
      const begin = begins[at.nth];
      const end = events.find(
        ({ stepId, key, payload }) =>
          stepId === at.stepId && key !== null && payload.type === "end" && payload.of === begin?.key,
      );
      if (!begin || end?.payload.type !== "end") {
        const call = `${at.stepId}, attempt ${at.attempt}, ${at.role}, call ${at.nth}`;
        throw new ProviderError("MISSING_CALL", `the log has no answer for ${call}`, { retryable: false });
      }
      const { value, fault } = end.payload;
      if (fault) throw new CallError(fault); // as it was, and not to be retried
      return value as LLMResponse;
    },
  };
}

function withModels(team: Team, change: (model: LLMClient) => LLMClient): Team {
  const roles = Object.entries(team.roles).map(([name, role]) => {
    const [first, ...rest] = role.models;
    return [name, { ...role, models: [change(first), ...rest.map(change)] as const }];
  });
  return { ...team, roles: Object.fromEntries(roles) };
}
