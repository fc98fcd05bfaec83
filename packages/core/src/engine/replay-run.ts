import type { RunEvent } from "../contracts/event.ts";
import type { Site } from "../contracts/executor.ts";
import { faultOf } from "../contracts/fault.ts";
import type { LLMClient, LLMResponse } from "../contracts/model.ts";
import type { Trajectory } from "../contracts/trajectory.ts";
import { CallError, ProviderError } from "../errors.ts";
import { type Divergence, firstDivergence } from "../log/canonical.ts";
import { memoryLogStore } from "../log/memory-log-store.ts";
import { sharedOf } from "../log/past.ts";
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
  const past = events.slice(0, sharedOf(header)); // a fork begins with what its parent did
  const trajectory = await launch(runId, options.signal, async () => ({
    ports: { ...ports, executor: new LocalExecutor(), store: memoryLogStore(), limits: {} },
    task,
    past: { header, events: past },
    writer: await memoryLogStore().create(header, past),
    winners: winnersOf(events),
    replay: replayOf(events),
  })).result;
  const decided = events.some(({ key, kind }) => kind === "verdict" && key !== null);
  return { divergence: firstDivergence(events, trajectory.events, { openEnd: !decided }), trajectory };
}

/** The recorded outcomes of calls that a replay does not make: a model's, a fact from outside, an effect outside. */
function replayOf(events: readonly RunEvent[]): NonNullable<Site["replay"]> {
  const recorded = new Map(
    events.flatMap((event) => (event.key === null ? [] : [[`${event.stepId} ${event.key}`, event]])),
  );
  return (stepId, { call, effect, end }) => {
    if (call.op !== "model" && call.op !== "other" && effect !== "outside") return null;
    const payload = recorded.get(`${stepId} ${end}`)?.payload;
    if (payload?.type === "end")
      return { value: payload.value, fault: payload.fault, ...(payload.tokens ? { tokens: payload.tokens } : {}) };
    const fault = faultOf({
      code: "MISSING_CALL",
      message: `the log has no end of this call of ${stepId}`,
      infrastructure: true,
    });
    return { value: null, fault };
  };
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
