import { untilAborted } from "../abort.ts";
import type { Call, Effect, EventDraft, EventKind, Payload, RunEvent } from "../contracts/event.ts";
import type { Site, StepHost } from "../contracts/executor.ts";
import { type Fault, faultOf } from "../contracts/fault.ts";
import type { SnapshotId } from "../contracts/files.ts";
import type { Json, JsonObject } from "../contracts/json.ts";
import type { Tokens } from "../contracts/model.ts";
import type { Workspace } from "../contracts/sandbox.ts";
import type { AttemptOrder } from "../contracts/step.ts";
import { abortReason, CallError, messageOf, RefusedError } from "../errors.ts";
import { toJson } from "../json-value.ts";
import { redactJson } from "../redact.ts";
import { CallGate } from "./call-gate.ts";
import { faultOfError } from "./fault-of-error.ts";

/** What a call gave: `touched` as in {@link ToolOutput}. */
export type CallOutcome = {
  value: unknown;
  fault?: Fault | null;
  tokens?: Tokens | null;
  touched?: string[];
  measured?: JsonObject;
};
export type PendingCall = {
  call: Call;
  effect: Effect;
  /** Whether it may be made twice, though its effect is `outside`. */
  repeatable?: boolean;
  reserve?: Tokens;
  /** Only called when the log has no end of this call. `begin` is the call's key: the same when it is made again. */
  run(signal: AbortSignal, begin: string): Promise<CallOutcome>;
};
type KeyedCall = PendingCall & { begin: string; end: string };
/** How a call ended: now, or in an earlier life of the run. */
export type Ended = { begin: string; value: Json; fault: Fault | null };

/**
 * Writes the events of one attempt, and gives from the log what is in it already. The program's position is its counter of
 * keys, so a program that is run again over its log meets its own past.
 */
export class Recorder {
  readonly #order: AttemptOrder;
  readonly #host: StepHost;
  readonly #site: Site;
  readonly #epoch: number;
  readonly #recorded: ReadonlyMap<string, RunEvent>;
  /** The host's signal, and the attempt's own time limit. */
  readonly #signal: AbortSignal;
  #claimed = 0;
  #workspace: Promise<Workspace> | null = null;
  readonly gate = new CallGate("await each before the next");
  /** The workspace after the last call that ended. */
  snapshot: SnapshotId;

  constructor(
    order: AttemptOrder,
    site: Site,
    host: StepHost,
    held: { epoch: number; recorded: RunEvent[] },
    signal: AbortSignal,
  ) {
    this.#order = order;
    this.#site = site;
    this.#host = host;
    this.#epoch = held.epoch;
    this.#recorded = new Map(held.recorded.map((event) => [event.key ?? "", event]));
    this.#signal = signal;
    this.snapshot = order.step.snapshot;
  }

  async emit(
    kind: EventKind,
    agent: string | null,
    payload: Payload,
    key: string | null = this.#nextKey(),
  ): Promise<void> {
    await this.#append([{ stepId: this.#order.step.stepId, key, kind, agent, payload }]);
  }

  async #append(drafts: EventDraft[]): Promise<void> {
    try {
      await this.#host.append(this.#epoch, drafts);
    } catch (error) {
      throw this.#close(error);
    }
  }

  /** The key that the next call is going to have. */
  get next(): string {
    return `${this.#order.attempt}.${this.#claimed}`;
  }

  /** What the log holds of the call with this key; undefined where it did not begin. */
  recordedCall(begin: string): Call | undefined {
    const payload = this.#recorded.get(begin)?.payload;
    return payload?.type === "begin" ? payload.call : undefined;
  }

  /** The lane's workspace, opened at the snapshot that it has to hold. */
  workspace(): Promise<Workspace> {
    const { snapshot } = this;
    const lane = this.#order.step.stepId;
    this.#workspace ??= this.#site.sandbox.open({ snapshot, lane }, { signal: this.#signal });
    return this.#workspace;
  }

  async dispose(): Promise<void> {
    const workspace = await this.#workspace?.catch(() => null);
    await workspace?.[Symbol.asyncDispose]();
  }

  /** Makes calls: neighbours without effect side by side, any other alone. Results are in call order; ends are written as calls end. */
  async calls(kind: EventKind, agent: string | null, calls: readonly PendingCall[]): Promise<Ended[]> {
    const ended: Ended[] = [];
    for (let next = 0; next < calls.length; ) {
      const alone = calls[next]!.effect !== "none";
      const firstOther = calls.findIndex((call, index) => index > next && (alone || call.effect !== "none"));
      const group = calls.slice(next, firstOther === -1 ? calls.length : firstOther);
      next += group.length;
      ended.push(...(await this.#group(kind, agent, group)));
    }
    return ended;
  }

  async #group(kind: EventKind, agent: string | null, group: readonly PendingCall[]): Promise<Ended[]> {
    const keyed = group
      .map((call) => ({ ...call, begin: this.#nextKey() }))
      .map((call) => ({ ...call, end: this.#nextKey() }));
    // together, so that a group that cannot all begin leaves none of it charged
    await this.#append(keyed.flatMap((call) => this.#begins(kind, agent, call)));
    // each end is written when its call ends, so that a crash during a slow one does not lose a quick one
    const settled = await Promise.allSettled(keyed.map((call) => this.#settle(kind, agent, call)));
    return settled.map((result) => {
      if (result.status === "rejected") throw result.reason;
      return result.value;
    });
  }

  /** A call under way is made once more, where what it cost so far is not known: a begin of its own, which the gate may refuse. */
  again(kind: EventKind, agent: string | null, { call, effect, reserve }: PendingCall): Promise<void> {
    const payload = { type: "begin", call, effect, ...(reserve ? { reserve } : {}) } as const;
    return this.emit(kind, agent, payload, null);
  }

  /** What was cut off stays charged, and what is made again is charged again: the gate has to see it. */
  #begins(kind: EventKind, agent: string | null, { call, effect, reserve, begin, end }: KeyedCall): EventDraft[] {
    const { stepId } = this.#order.step;
    const payload = { type: "begin", call, effect, ...(reserve ? { reserve } : {}) } as const;
    const madeAgain = this.#recorded.has(begin) && !this.#recorded.has(end);
    return [...(madeAgain ? [null] : []), begin].map((key) => ({ stepId, key, kind, agent, payload }));
  }

  async #settle(kind: EventKind, agent: string | null, call: KeyedCall): Promise<Ended> {
    const { begin, end, effect } = call;
    const recorded = this.#recorded.get(end)?.payload;
    if (recorded?.type === "end") {
      this.snapshot = recorded.snapshot;
      return this.#ended(begin, structuredClone(recorded.value), recorded.fault); // a program must not change the log
    }
    const started = performance.now();
    const outcome = await this.#outcome(kind, agent, call);
    const measured = { ms: Math.round(performance.now() - started), ...(toJson(outcome.measured ?? {}) as JsonObject) };
    if (effect === "workspace") await this.#capture(outcome.touched);
    const value = redactJson(toJson(outcome.value), this.#site.redact); // what the log holds is what the program sees
    const fault = outcome.fault ?? null;
    const tokens = outcome.tokens ? { tokens: outcome.tokens } : {};
    await this.emit(
      kind,
      agent,
      { type: "end", of: begin, value, fault, snapshot: this.snapshot, ...tokens, measured },
      end,
    );
    return this.#ended(begin, value, fault);
  }

  /** A workspace that cannot be captured, for what lies in it, ends the attempt. */
  async #capture(touched: readonly string[] | undefined): Promise<void> {
    try {
      this.snapshot = await (await this.workspace()).snapshot(touched);
    } catch (error) {
      throw this.#close(this.#host.signal.aborted ? error : new CallError(faultOfError(error)));
    }
  }

  async #outcome(kind: EventKind, agent: string | null, call: KeyedCall): Promise<CallOutcome> {
    if (this.#recorded.has(call.begin) && call.effect === "outside" && !call.repeatable) return INTERRUPTED;
    const replayed = this.#site.replay?.(this.#order.step.stepId, call);
    if (replayed) return replayed;
    try {
      return await untilAborted(this.#signal, (signal) => call.run(signal, call.begin));
    } catch (error) {
      if (this.#host.signal.aborted) throw await this.#cutOff(kind, agent, call.begin, error);
      if (this.#signal.aborted) return { value: null, fault: faultOfError(abortReason(this.#signal)) };
      if (error instanceof RefusedError) throw await this.#cutOff(kind, agent, call.begin, error);
      return { value: null, fault: faultOfError(error) };
    }
  }

  #ended(begin: string, value: Json, fault: Fault | null): Ended {
    if (fault?.code === TIMED_OUT) this.#close(new CallError(fault));
    return { begin, value, fault };
  }

  /**
   * A call that the run's abort or a refusal ended stays open in the causal log, so that a resumed run makes it again. That it was cut
   * off is an ambient event.
   */
  async #cutOff(kind: EventKind, agent: string | null, begin: string, reason: unknown): Promise<Error> {
    const fault = faultOf({ code: "ABORTED", message: messageOf(reason) });
    const payload: Payload = { type: "end", of: begin, value: null, fault, snapshot: this.snapshot };
    const { stepId } = this.#order.step;
    try {
      await this.#host.append(this.#epoch, [{ stepId, key: null, kind, agent, payload }]);
    } catch {
      // the log may be what failed; the reason for the abort is what the caller has to know
    }
    return this.#close(reason);
  }

  #close(reason: unknown): Error {
    return this.gate.close(reason instanceof Error ? reason : new Error(messageOf(reason)));
  }

  #nextKey(): string {
    const key = this.next;
    this.#claimed++;
    return key;
  }
}

/** Code of the fault of an attempt that reached its time limit. */
export const TIMED_OUT = "STEP_TIMED_OUT";

const INTERRUPTED: CallOutcome = {
  value: {
    ok: false,
    output: "interrupted: whether the call had its effect is unknown, and it is not safe to make it again",
  },
  fault: faultOf({ code: "INTERRUPTED", message: "cut off by a crash before its end was written" }),
};
