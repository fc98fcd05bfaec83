import {
  type AttemptOrder,
  type AttemptResult,
  abortReason,
  type Executor,
  type GuardPolicy,
  messageOf,
  recover,
  type Step,
  type StepHost,
  type StepResult,
  SwarmError,
  type TeamRef,
  untilAborted,
} from "@swarm/core";
import type { Carrier } from "./carrier.ts";
import { Gate, type GateOptions, OVER } from "./gate.ts";
import type { HeldAttempt } from "./held-attempt.ts";
import { untilThere } from "./until-there.ts";

export type RemoteOptions = {
  /** Where workers reach this process. */
  gate?: GateOptions;
  /** Retry and breakers of each attempt. Default: {@link GUARD_DEFAULTS}, in part or in whole. */
  guard?: Partial<GuardPolicy>;
  /** A worker that says nothing for so long is lost, and its attempt brought to another. Default 10,000. */
  leaseMs?: number;
  /** How often one attempt is delivered before it is given up. Default 5. */
  maxDeliveries?: number;
  /** How long an attempt waits while the workers that are there cannot begin it, such as for a full disk. Default 600,000. */
  patienceMs?: number;
  /** How long a run waits, before it begins, for a platform or a first worker that is not there. Default 5,000. */
  readyMs?: number;
};

/** How long a worker may take to put its attempt away after an abort before nobody waits for it any more. */
const ABORT_GRACE_MS = 400;

/**
 * Runs attempts on other machines, by whatever carrier brings them there. Workers fetch each attempt from this process and send
 * their events to it, so this process has to live while the run does; a run whose process died is resumed from its log.
 * `close` it when no run uses it any more.
 */
export class RemoteExecutor implements Executor, AsyncDisposable {
  readonly specificationVersion = "v1";
  readonly #carrier: Carrier;
  readonly #gate: Gate;
  readonly #options: Required<Omit<RemoteOptions, "gate">>;

  constructor(carrier: Carrier, { gate = {}, ...options }: RemoteOptions = {}) {
    this.#carrier = carrier;
    this.#gate = new Gate(gate);
    const defaults = { guard: {}, leaseMs: 10_000, maxDeliveries: 5, patienceMs: 600_000, readyMs: 5_000 };
    this.#options = { ...defaults, ...options };
  }

  /**
   * Rejects where no step of the team could run: `PLATFORM_FAILED` where the platform is not there, `NO_WORKER` where it has none,
   * `TEAM_MISMATCH` where its workers serve other teams.
   */
  async preflight(team: TeamRef, { signal }: { signal: AbortSignal }): Promise<void> {
    const { readyMs } = this.#options;
    await untilThere(async () => await this.#carrier.preflight?.(team, { signal }), { readyMs, signal });
  }

  runStep(step: Step, host: StepHost): Promise<StepResult> {
    return recover(step, (order) => this.#perform(order, host));
  }

  async close(): Promise<void> {
    await this.#gate.close();
    await this.#carrier.close?.();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #perform(order: AttemptOrder, host: StepHost): Promise<AttemptResult> {
    const { signal } = host;
    if (signal.aborted) throw abortReason(signal);
    const { attempt, delivery, close } = await this.#gate.open(order, host, this.#options);
    const over = new AbortController();
    const work = AbortSignal.any([signal, over.signal]);
    let ended = false;
    try {
      const result = await untilAborted(signal, async () => {
        await this.#carrier.submit(delivery, { signal: work });
        const again = () => this.#carrier.submitAgain(delivery, { signal: work });
        return await Promise.race([attempt.end, this.#watch(attempt, again, work)]);
      });
      ended = true;
      return result;
    } catch (error) {
      if (signal.aborted) await putAway(attempt, abortReason(signal));
      throw error;
    } finally {
      over.abort(OVER);
      close();
      if (!ended) await this.#carrier.withdraw?.(delivery).catch(() => {}); // whoever takes it later learns that it is over
    }
  }

  /** Brings an attempt whose worker was lost to another. Ends only by an error, or with the attempt. */
  async #watch(attempt: HeldAttempt, again: () => Promise<boolean>, signal: AbortSignal): Promise<never> {
    const { leaseMs, maxDeliveries, patienceMs } = this.#options;
    for (let deliveries = 1; ; ) {
      await pause(Math.min(leaseMs / 5, 250), signal);
      if (signal.aborted) return await new Promise<never>(() => {}); // the race was decided
      const { lost, untakenMs } = attempt;
      if (lost === null) continue;
      if (untakenMs === null ? deliveries === maxDeliveries : untakenMs > patienceMs) {
        const problem =
          untakenMs === null
            ? `the attempt was delivered ${deliveries} times, and each worker was lost`
            : `no worker could begin the attempt for ${patienceMs} ms`;
        throw new SwarmError("WORKER_LOST", `${problem}; the last: ${lost}`);
      }
      if ((await again().catch((error) => fail(attempt, error))) && untakenMs === null) deliveries += 1;
      attempt.sentAgain();
    }
  }
}

function fail(attempt: HeldAttempt, error: unknown): false {
  attempt.fail(error instanceof Error ? error : new Error(messageOf(error)));
  return false;
}

/** Lets the worker end its attempt in good order: its processes stopped, its last events written. */
async function putAway(attempt: HeldAttempt, reason: Error): Promise<void> {
  attempt.stop(reason);
  const grace = new AbortController();
  await Promise.race([attempt.end.catch(() => {}), pause(ABORT_GRACE_MS, grace.signal)]);
  grace.abort();
}

/** Ends early when the signal aborts; never rejects. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  const onAbort = () => {
    clearTimeout(timer);
    resolve();
  };
  signal.addEventListener("abort", onAbort, { once: true });
  if (signal.aborted) onAbort();
  return promise.finally(() => signal.removeEventListener("abort", onAbort));
}
