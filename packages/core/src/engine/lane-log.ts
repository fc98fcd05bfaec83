import type { EventKind, Payload } from "../contracts/event.ts";
import type { SnapshotId } from "../contracts/files.ts";
import type { Json } from "../contracts/json.ts";
import { abortReason, CallError, messageOf } from "../errors.ts";
import { toJson } from "../json-value.ts";
import type { Journal } from "../log/journal.ts";
import { type Redact, redactJson } from "../redact.ts";
import type { CallGate } from "./call-gate.ts";
import { faultOfError } from "./fault-of-error.ts";

type End = Payload & { type: "end" };

/**
 * The events of one lane under its path. The lane's position is its counter of keys, so a workflow that is run again over
 * its log meets its own past.
 */
export class LaneLog {
  readonly #journal: Journal;
  readonly #path: string;
  readonly #signal: AbortSignal;
  readonly #gate: CallGate;
  readonly #redact: Redact;
  #claimed = 0;

  constructor(
    journal: Journal,
    path: string,
    { signal, gate, redact }: { signal: AbortSignal; gate: CallGate; redact: Redact },
  ) {
    this.#journal = journal;
    this.#path = path;
    this.#signal = signal;
    this.#gate = gate;
    this.#redact = redact;
  }

  key(): string {
    return `0.${this.#claimed++}`;
  }

  /** What the log holds under a key. */
  recorded(key: string): Payload | undefined {
    return this.#journal.at(this.#path, key)?.payload;
  }

  async put(kind: EventKind, agent: string | null, payload: Payload, key: string | null = this.key()): Promise<void> {
    try {
      await this.#journal.append([{ stepId: this.#path, key, kind, agent, payload }], this.#signal);
    } catch (error) {
      throw this.#gate.close(error instanceof Error ? error : new Error(messageOf(error)));
    }
  }

  /** A call of the engine itself, in the log like any other. Rejects with a {@link CallError} where it failed. */
  async call<T extends Json>(name: string, snapshot: SnapshotId, run: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const of = this.key();
    await this.put("test", null, { type: "begin", call: { op: "other", name }, effect: "none" }, of);
    const key = this.key();
    const recorded = this.recorded(key);
    if (recorded?.type === "end") return resultOf<T>(recorded);
    const started = performance.now();
    const outcome = await this.#outcome(run);
    const measured = { ms: Math.round(performance.now() - started) };
    const end: End = { type: "end", of, ...outcome, snapshot, measured };
    await this.put("test", null, end, key);
    return resultOf<T>(end);
  }

  async #outcome(run: (signal: AbortSignal) => Promise<Json>): Promise<Pick<End, "value" | "fault">> {
    try {
      return { value: redactJson(toJson(await run(this.#signal)), this.#redact), fault: null };
    } catch (error) {
      if (this.#signal.aborted) throw abortReason(this.#signal);
      return { value: null, fault: faultOfError(error) };
    }
  }
}

function resultOf<T extends Json>({ value, fault }: Pick<End, "value" | "fault">): T {
  if (fault) throw new CallError(fault);
  return structuredClone(value) as T;
}
