import { randomBytes } from "node:crypto";
import type { Socket } from "node:net";
import {
  type AttemptOrder,
  type AttemptResult,
  type EventDraft,
  type GuardPolicy,
  type Recollection,
  RefusedError,
  type StepHost,
  SwarmError,
} from "@swarm/core";
import { memoriesOf, recallAt } from "../memories.ts";
import { type ErrorData, errorData, errorOf } from "../protocol.ts";
import { signedBy } from "../signed-by.ts";
import type { Requests, Taken, Tidings } from "./requests.ts";

export type AttemptPolicy = {
  guard: Partial<GuardPolicy>;
  /** A holder that says nothing for so long is lost. */
  leaseMs: number;
  /** How often one attempt may be claimed. */
  maxDeliveries: number;
};

/** How long a worker may be gone after its connection broke. */
const DROPPED_MS = 500;

type Handlers = { [name in keyof Requests]: (ask: Requests[name]["ask"]) => Promise<Requests[name]["answer"]> };

/**
 * One attempt that is out with a worker, as the engine's side keeps it: who holds it, what that one said last, and its end.
 * Whatever a platform does with a delivery, twice, late or by two workers at once, it is decided here what counts.
 */
export class HeldAttempt implements Handlers {
  readonly id = randomBytes(12).toString("hex");
  readonly token = randomBytes(32).toString("base64url");
  readonly #order: AttemptOrder;
  readonly #host: StepHost;
  readonly #policy: AttemptPolicy;
  readonly #end = Promise.withResolvers<AttemptResult>();
  readonly #stop = Promise.withResolvers<ErrorData>();
  /** By which the holder took it, until its first beat. */
  connection: Socket | null = null;
  #leaseEnds: number;
  #holder: { claim: string; worker: string; epoch: number } | null = null;
  #taking: Promise<Taken> | null = null;
  #claims = 0;
  readonly #recalls = new Map<string, Promise<Recollection[]>>();
  #last: { epoch: number; nth: number; answer: Promise<null> } | null = null;
  /** Why a worker gave the attempt back, until another one is asked. */
  #givenBack: string | null = null;
  /** Since when workers give it back without having begun it. */
  #untakenSince: number | null = null;

  constructor(order: AttemptOrder, host: StepHost, policy: AttemptPolicy) {
    this.#order = order;
    this.#host = host;
    this.#policy = policy;
    this.#leaseEnds = performance.now() + policy.leaseMs;
    this.#end.promise.catch(() => {});
  }

  /** Resolves with the holder's result; rejects with what made the attempt impossible. */
  get end(): Promise<AttemptResult> {
    return this.#end.promise;
  }

  /** Why the attempt has to be brought to a worker again, or null while there is no reason to. */
  get lost(): string | null {
    if (this.#givenBack !== null) return this.#givenBack;
    return performance.now() > this.#leaseEnds ? "said nothing any more" : null;
  }

  /** How long the workers that are there have been giving it back without having begun it; null: they do not. */
  get untakenMs(): number | null {
    return this.#untakenSince === null ? null : performance.now() - this.#untakenSince;
  }

  /** From here on the attempt is with somebody new, who has a lease of their own. */
  sentAgain(): void {
    this.#givenBack = null;
    this.#hear();
  }

  /** The holder's connection broke. One that lives is back at once. */
  dropped(): void {
    this.#leaseEnds = Math.min(this.#leaseEnds, performance.now() + DROPPED_MS);
  }

  fail(error: Error): void {
    this.#end.reject(error);
  }

  /** Tells the holder to stop. */
  stop(reason: Error): void {
    this.#stop.resolve(errorData(reason));
  }

  async take({ claim, worker }: Requests["take"]["ask"]): Promise<Taken> {
    this.#hear();
    if (this.#taking && this.#holder?.claim === claim) return await this.#taking; // the same one, asked again
    const { stepId } = this.#order.step;
    const { maxDeliveries } = this.#policy;
    if (this.#claims === maxDeliveries) {
      const message = `${stepId} was delivered ${maxDeliveries} times, and each worker was lost`;
      const error = new SwarmError("WORKER_LOST", message);
      this.fail(error);
      throw error;
    }
    const before = this.#claims++ > 0 ? (this.#holder?.worker ?? null) : null;
    const holder = { claim, worker, epoch: 0 };
    this.#holder = holder;
    this.#givenBack = null;
    this.#untakenSince = null;
    this.#taking = this.#take(holder, before);
    return await this.#taking;
  }

  async tell({ epoch, nth, ...tidings }: Requests["tell"]["ask"]): Promise<Requests["tell"]["answer"]> {
    this.#hear(epoch);
    const last = this.#last?.epoch === epoch ? this.#last : null;
    if (last && nth < last.nth) return { done: true }; // a late copy of what was answered
    const answer = last?.nth === nth ? last.answer : this.#note(epoch, tidings);
    answer.catch(() => {}); // nobody may ask again
    if (this.#holder?.epoch === epoch) this.#last = { epoch, nth, answer };
    return {
      done: await this.#soon(
        answer.then(() => true),
        false,
      ),
    };
  }

  async recall({ id, recall }: Requests["recall"]["ask"]): Promise<Requests["recall"]["answer"]> {
    this.#hear();
    const answer = this.#recalls.get(id) ?? recallAt(this.#host, recall);
    answer.catch(() => {}); // nobody may ask again
    this.#recalls.set(id, answer);
    return await this.#soon<Recollection[] | null>(answer, null);
  }

  async beat({ epoch }: Requests["beat"]["ask"]): Promise<Requests["beat"]["answer"]> {
    this.#hear(epoch);
    if (epoch !== null && this.#holder?.epoch !== epoch) return { stop: errorData(fenced(this.#order.step.stepId)) };
    this.connection = null;
    return { stop: await this.#soon(this.#stop.promise, null) };
  }

  async failed({ epoch, error, again }: Requests["failed"]["ask"]): Promise<null> {
    if (epoch !== null) this.#requireHolder(epoch);
    else if (error.code === "FENCED") return null; // somebody newer took it at the same time
    if (!again) this.fail(errorOf(error));
    else if (epoch !== null || this.#holder === null || this.lost !== null) {
      this.#givenBack = error.message; // unless it is another one's, who lives
      if (epoch === null) this.#untakenSince ??= performance.now();
    }
    return null;
  }

  async #take(holder: { worker: string; epoch: number }, before: string | null): Promise<Taken> {
    const { step, attempt } = this.#order;
    const { guard, leaseMs } = this.#policy;
    const memories = await memoriesOf(this.#host);
    const { epoch, recorded } = await this.#host.claim(step.stepId);
    holder.epoch = epoch;
    if (before !== null) {
      const detail = { attempt, delivery: this.#claims, lost: before };
      const payload = { type: "recovered", how: "redelivered", detail } as const;
      await this.#append(epoch, [{ stepId: step.stepId, key: null, kind: "recovery", agent: null, payload }]);
    }
    return { order: this.#order, epoch, recorded, secrets: this.#host.secrets, guard, memories, leaseMs };
  }

  async #note(epoch: number, { appends, result }: Tidings): Promise<null> {
    for (const events of appends) await this.#append(epoch, events);
    if (result === null) return null;
    this.#requireHolder(epoch);
    this.#end.resolve(result);
    return null;
  }

  async #append(epoch: number, events: readonly EventDraft[]): Promise<null> {
    const { stepId } = this.#order.step;
    const foreign = events.find((event) => event.stepId !== stepId);
    if (foreign) throw new SwarmError("WORKER_FAILED", `an event of ${foreign.stepId} came from a worker of ${stepId}`);
    await this.#host.append(epoch, this.#holder ? signedBy(this.#holder.worker, events) : [...events]);
    return null;
  }

  /** Whoever asks is answered well before they take the gate for lost. */
  async #soon<T>(answer: Promise<T>, otherwise: T): Promise<T> {
    const { promise: waited, resolve } = Promise.withResolvers<T>();
    const timer = setTimeout(resolve, this.#policy.leaseMs / 5, otherwise);
    return await Promise.race([answer, waited]).finally(() => clearTimeout(timer));
  }

  /** A fenced holder's word does not make up for the silence of the one that holds. */
  #hear(epoch: number | null = null): void {
    if (epoch === null || this.#holder?.epoch === epoch) this.#leaseEnds = performance.now() + this.#policy.leaseMs;
  }

  #requireHolder(epoch: number): void {
    this.#hear(epoch);
    if (this.#holder?.epoch !== epoch) throw fenced(this.#order.step.stepId);
  }
}

function fenced(stepId: string): RefusedError {
  return new RefusedError("FENCED", `step ${stepId} was claimed by a newer holder; this one has to stop`);
}
