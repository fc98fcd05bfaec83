import { randomUUID } from "node:crypto";
import { setImmediate, setTimeout } from "node:timers/promises";
import {
  type AttemptResult,
  type EventDraft,
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
import type { RequestName, Requests, Taken } from "./requests.ts";

/** How long a worker tries to reach a gate that it never reached. */
const FIRST_PATIENCE_MS = 10_000;
const LONGEST_PAUSE_MS = 1_000;
/** An attempt that is over by then needs no beat: until then the gate watches the connection by which it was taken. */
const FIRST_BEAT_MS = 100;
/** How long what was caused last may take to be told before the attempt is given back. */
const LAST_WORDS_MS = 500;

/** The attempt that was to be performed is over, or with somebody else: nobody waits for this worker. */
export class AttemptOverError extends SwarmError {
  constructor(message: string) {
    super("ATTEMPT_OVER", message);
  }
}

/**
 * A worker's side of the gate. A request that got no answer is sent again, which the gate knows. What the attempt causes is told in
 * order, as it happens, and what is caused meanwhile goes together in the next request. Only a call that begins waits until the log has
 * it, and all before it; so does the result.
 */
export class GateClient {
  readonly #delivery: Delivery;
  readonly #worker: string;
  readonly #abort = new AbortController();
  #patienceMs = FIRST_PATIENCE_MS;
  #epoch: number | null = null;
  #told = 0;
  #untold: EventDraft[][] = [];
  #result: AttemptResult | null = null;
  /** The last telling: each waits for the one before, and none is made after one that was refused. */
  #telling: Promise<void> = Promise.resolve();
  /** The telling that waits for its turn, and takes along what is caused until then. */
  #next: Promise<void> | null = null;
  #closed = false;

  constructor(delivery: Delivery, worker: string) {
    this.#delivery = delivery;
    this.#worker = worker;
  }

  /** Aborts when the attempt has to stop: by the gate's word, or since the gate cannot be reached. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  async take(): Promise<Taken> {
    const taken = await this.#ask("take", { claim: randomUUID(), worker: this.#worker });
    this.#epoch = taken.epoch;
    this.#patienceMs = taken.leaseMs;
    void this.#beat(taken.leaseMs);
    return taken;
  }

  host({ secrets, epoch, recorded }: Taken): StepHost {
    return {
      secrets,
      signal: this.signal,
      claim: async () => ({ epoch, recorded }),
      append: async (_, events) => {
        this.#untold.push(events);
        const told = this.#tell();
        if (events.some(({ payload }) => payload.type === "begin")) await told;
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
    this.#result = result;
    await this.#tell();
  }

  async failed(error: ErrorData, { again }: { again: boolean }): Promise<void> {
    const late = setTimeout(LAST_WORDS_MS, undefined, { ref: false }); // such as a call that waits for its turn to begin
    await Promise.race([this.#telling.catch(() => {}), late]);
    await this.#ask("failed", { epoch: this.#epoch, error, again });
  }

  stop(reason: Error): void {
    this.#abort.abort(reason);
  }

  close(): void {
    this.#closed = true;
  }

  #tell(): Promise<void> {
    if (this.#next) return this.#next;
    this.#next = this.#tellAfter(this.#telling);
    this.#telling = this.#next;
    this.#telling.catch(() => {}); // nobody may wait for it
    return this.#next;
  }

  async #tellAfter(before: Promise<void>): Promise<void> {
    await Promise.all([before, setImmediate()]);
    this.#next = null;
    const told = { epoch: this.#epoch!, nth: this.#told++, appends: this.#untold.splice(0), result: this.#result };
    while (!(await this.#ask("tell", told)).done);
  }

  async #beat(leaseMs: number): Promise<void> {
    try {
      await setTimeout(FIRST_BEAT_MS, undefined, { ref: false });
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
