import { randomUUID } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import {
  type AttemptResult,
  type Json,
  messageOf,
  type Recollection,
  type StepHost,
  SwarmError,
  untilAborted,
} from "@swarm/core";
import type { RecallAsk } from "../memories.ts";
import { type ErrorData, errorOf } from "../protocol.ts";
import type { Delivery } from "./delivery.ts";
import { errorIn, type HttpAnswer, sendJson } from "./http.ts";
import type { Order, RequestName, Requests } from "./requests.ts";

/** How long a worker tries to reach a gate that it never reached. */
const FIRST_PATIENCE_MS = 10_000;
const LONGEST_PAUSE_MS = 1_000;

/** The attempt that was to be performed is over, or with somebody else: nobody waits for this worker. */
export class AttemptOverError extends SwarmError {
  constructor(message: string) {
    super("ATTEMPT_OVER", message);
  }
}

/**
 * A worker's side of the gate. A request that got no answer is sent again, which the gate knows; appends go one after another,
 * so that events arrive in the order in which they were caused.
 */
export class GateClient {
  readonly #delivery: Delivery;
  readonly #worker: string;
  readonly #abort = new AbortController();
  #patienceMs = FIRST_PATIENCE_MS;
  #epoch: number | null = null;
  #appends = 0;
  #tail: Promise<unknown> = Promise.resolve();
  #closed = false;

  constructor(delivery: Delivery, worker: string) {
    this.#delivery = delivery;
    this.#worker = worker;
  }

  /** Aborts when the attempt has to stop: by the gate's word, or since the gate cannot be reached. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  async order(): Promise<Order> {
    const order = await this.#ask("order", {});
    this.#patienceMs = order.leaseMs;
    void this.#beat(order.leaseMs);
    return order;
  }

  host(secrets: readonly string[]): StepHost {
    return {
      secrets,
      signal: this.signal,
      claim: async () => {
        const held = await this.#ask("claim", { claim: randomUUID(), worker: this.#worker });
        this.#epoch = held.epoch;
        return held;
      },
      append: (epoch, events) => {
        const appended = this.#tail.then(() => this.#append({ epoch, nth: this.#appends++, events }));
        this.#tail = appended.catch(() => {});
        return appended;
      },
      async site() {
        throw new SwarmError("WORKER_FAILED", "a worker has its own site");
      },
    };
  }

  recall(recall: RecallAsk, signal: AbortSignal): Promise<Recollection[]> {
    const id = randomUUID();
    return untilAborted(signal, async () => {
      for (;;) {
        const found = await this.#ask("recall", { id, recall });
        if (found !== null || signal.aborted) return found ?? [];
      }
    });
  }

  async done(result: AttemptResult): Promise<void> {
    await this.#ask("done", { epoch: this.#epoch ?? 0, result });
  }

  async failed(error: ErrorData, { again }: { again: boolean }): Promise<void> {
    await this.#ask("failed", { epoch: this.#epoch, error, again });
  }

  stop(reason: Error): void {
    this.#abort.abort(reason);
  }

  close(): void {
    this.#closed = true;
  }

  async #append(append: Requests["append"]["ask"]): Promise<void> {
    while (!(await this.#ask("append", append)).done);
  }

  async #beat(leaseMs: number): Promise<void> {
    try {
      while (!this.#closed) {
        const { stop } = await this.#ask("beat", { epoch: this.#epoch }, leaseMs);
        if (stop) return this.stop(errorOf(stop));
      }
    } catch (error) {
      if (!this.#closed) this.stop(error instanceof Error ? error : new Error(messageOf(error)));
    }
  }

  /** Sends a request until it is answered, as long as there is patience. */
  async #ask<N extends RequestName>(
    name: N,
    ask: Requests[N]["ask"],
    timeoutMs = this.#patienceMs,
  ): Promise<Requests[N]["answer"]> {
    const { url, token } = this.#delivery.gate;
    const giveUpAt = performance.now() + this.#patienceMs;
    for (let pauseMs = 20; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
      try {
        const answer = await sendJson("POST", `${url}/v1/${name}`, { token, body: ask as Json, timeoutMs });
        if (answer.status < 500) return this.#valueOf(answer) as Requests[N]["answer"];
        throw new SwarmError("GATE_UNREACHABLE", `it answered with status ${answer.status}`);
      } catch (error) {
        if (error instanceof AnswerError) throw error.told;
        if (performance.now() + pauseMs > giveUpAt) {
          throw new SwarmError("GATE_UNREACHABLE", `the gate at ${url} cannot be reached: ${messageOf(error)}`);
        }
      }
      await setTimeout(pauseMs);
    }
  }

  #valueOf({ status, body }: HttpAnswer): unknown {
    const error = errorIn(body);
    if (error === null && status === 200) return (body as { value: unknown }).value;
    if (status === 410) throw new AnswerError(new AttemptOverError(error?.message ?? "the attempt is over"));
    if (error === null) throw new SwarmError("GATE_UNREACHABLE", `it answered with status ${status}`);
    throw new AnswerError(errorOf(error));
  }
}

/** What the gate answered, as opposed to no answer. */
class AnswerError extends Error {
  readonly told: SwarmError;
  constructor(told: SwarmError) {
    super(told.message);
    this.told = told;
  }
}
