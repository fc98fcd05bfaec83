import { z } from "zod";
import type { Clock } from "../clock.ts";
import type { Budget } from "../contracts/budget.ts";
import { type EventDraft, type LogHeader, type RunEvent, RunEventSchema } from "../contracts/event.ts";
import { asJson } from "../contracts/json.ts";
import { RefusedError, SwarmError } from "../errors.ts";
import { type Redact, redactJson } from "../redact.ts";
import { canonicalEvent, compareKeys, inheritedEvent } from "./canonical.ts";
import { Ledger } from "./ledger.ts";
import type { LogContent, LogWriter } from "./log-store.ts";
import { ownEvents, sharedOf } from "./past.ts";

export type JournalOptions = {
  writer: LogWriter;
  clock: Clock;
  /** The run's own signal: once it aborts, no call begins. */
  signal: AbortSignal;
  limits: Partial<Budget>;
  /** Limits of single roles, by name. */
  roleLimits: Readonly<Record<string, Partial<Budget>>>;
  redact: Redact;
  onEvent(event: RunEvent): void;
};

/**
 * The log of one run, and the gate before it: an append is checked against the fence, the past, the abort signal and the
 * budget, given its place and written. So limits hold over any number of workers.
 */
export class Journal {
  readonly header: LogHeader;
  readonly events: RunEvent[] = [];
  readonly #options: JournalOptions;
  readonly #ledger: Ledger;
  readonly #roleLedgers: ReadonlyMap<string, Ledger>;
  readonly #causal = new Map<string, RunEvent>();
  readonly #steps = new Map<string, RunEvent[]>();
  readonly #epochs = new Map<string, number>();
  readonly #startedAt: number;
  #closed = false;
  /** What a write failed with. The log takes nothing more then: what came after a gap would tell of another run. */
  #failure: { error: unknown } | null = null;

  constructor(past: LogContent, options: JournalOptions) {
    this.header = past.header;
    this.#options = options;
    this.#ledger = new Ledger(past.header.prices);
    const limited = Object.keys(options.roleLimits);
    this.#roleLedgers = new Map(limited.map((role) => [role, new Ledger(past.header.prices)]));
    for (const event of past.events) this.#remember(event);
    this.#startedAt = options.clock.now() - elapsedBefore(ownEvents(past));
  }

  /** What the log holds under a key. */
  at(stepId: string, key: string): RunEvent | undefined {
    return this.#causal.get(`${stepId} ${key}`);
  }

  /** The last key of a step that an event before `from` claimed. */
  lastKey(stepId: string, from: number): string | null {
    const keys = (this.#steps.get(stepId) ?? []).flatMap(({ tsIndex, key }) =>
      tsIndex < from && key !== null ? [key] : [],
    );
    return keys.sort(compareKeys).at(-1) ?? null;
  }

  usage() {
    return this.#ledger.usage();
  }

  elapsedMs(): number {
    return this.#options.clock.now() - this.#startedAt;
  }

  /** Gives the step a new holder and fences the earlier ones. */
  claim(stepId: string): { epoch: number; recorded: RunEvent[] } {
    const epoch = (this.#epochs.get(stepId) ?? 0) + 1;
    this.#epochs.set(stepId, epoch);
    return { epoch, recorded: [...(this.#steps.get(stepId) ?? [])] };
  }

  /**
   * Appends all in order, or none where one is refused. `signal` is that of the lane the events belong to. Resolves when
   * they are as safe as the store promises.
   */
  async append(given: readonly EventDraft[], signal: AbortSignal, epoch?: number): Promise<void> {
    if (this.#closed) throw new RefusedError("ABORTED", "the run is over; its log is closed");
    if (this.#failure) throw this.#failure.error;
    const drafts = given
      .map((draft) => this.#redacted(draft))
      .filter((draft) => {
        this.#checkFence(draft, epoch);
        return !this.#isKnown(draft);
      });
    this.#checkGate(
      drafts.filter(({ payload }) => payload.type === "begin"),
      signal,
    );
    if (drafts.length === 0) return;
    const events = drafts.map((draft, index) => this.#event(draft, this.events.length + index));
    try {
      this.#options.writer.append(events);
      for (const event of events) this.#remember(event);
      for (const event of events) this.#options.onEvent(event); // who is told may append in turn
      await this.#options.writer.acknowledge(drafts.some(isCritical));
    } catch (error) {
      this.#failure ??= { error };
      throw error;
    }
  }

  /** Ends the log: whatever is still under way can no longer write to it. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#options.writer.close();
  }

  #checkFence({ stepId }: EventDraft, epoch: number | undefined): void {
    if (epoch === undefined || this.#epochs.get(stepId) === epoch) return;
    throw new RefusedError("FENCED", `step ${stepId} was claimed by a newer holder; this one has to stop`);
  }

  #isKnown(draft: EventDraft): boolean {
    const recorded = draft.key === null ? undefined : this.at(draft.stepId, draft.key);
    if (!recorded) return false;
    const inherited = this.#isInherited(recorded);
    const told = inherited ? inheritedEvent : canonicalEvent;
    if (told(recorded) === told(draft)) return true;
    const [then, now] = [canonicalEvent(recorded), canonicalEvent(draft)];
    const past = inherited ? ` (event ${recorded.tsIndex}, of the past that the fork shares: fork before it)` : "";
    throw new RefusedError(
      "DIVERGED",
      `step ${draft.stepId} did something else at ${draft.key} than its log holds${past}:\n  log: ${then}\n  now: ${now}`,
    );
  }

  #isInherited({ tsIndex }: RunEvent): boolean {
    return tsIndex < sharedOf(this.header);
  }

  #redacted(draft: EventDraft): EventDraft {
    const payload = redactJson(asJson(draft.payload), this.#options.redact);
    return { ...draft, payload: payload as unknown as EventDraft["payload"] };
  }

  #checkGate(begins: readonly EventDraft[], signal: AbortSignal): void {
    if (begins.length === 0) return;
    if (signal.aborted || this.#options.signal.aborted)
      throw new RefusedError("ABORTED", "the run was aborted; no call begins");
    const { limits, roleLimits } = this.#options;
    const { wallMs = Number.POSITIVE_INFINITY } = limits;
    if (this.elapsedMs() > wallMs)
      throw new RefusedError("TIMEOUT", `the run took longer than its limit of ${wallMs} ms`);
    const over = this.#ledger.refusal(begins, limits);
    if (over) throw new RefusedError("BUDGET", `the call would go over the budget: ${over}`);
    for (const [role, ledger] of this.#roleLedgers) {
      const own = begins.filter(({ agent }) => agent === role);
      const roleOver = ledger.refusal(own, roleLimits[role] ?? {});
      if (roleOver)
        throw new RefusedError("BUDGET", `the call would go over the budget of the role ${role}: ${roleOver}`);
    }
  }

  #event(draft: EventDraft, tsIndex: number): RunEvent {
    const measured = { ...draft.payload.measured, at: this.#options.clock.now(), elapsedMs: this.elapsedMs() };
    const event: RunEvent = { tsIndex, ...draft, payload: { ...draft.payload, measured } };
    const { error } = RunEventSchema.safeParse(event);
    if (error)
      throw new SwarmError("INVALID_EVENT", `step ${draft.stepId} caused what is no event: ${z.prettifyError(error)}`);
    deepFreeze(event); // who listens must not change the log
    return event;
  }

  #charge(event: RunEvent): void {
    this.#ledger.apply(event);
    this.#roleLedgers.get(event.agent ?? "")?.apply(event);
  }

  #remember(event: RunEvent): void {
    this.events.push(event);
    if (!this.#isInherited(event)) this.#charge(event);
    if (event.key === null) return;
    this.#causal.set(`${event.stepId} ${event.key}`, event);
    const step = this.#steps.get(event.stepId);
    if (step) step.push(event);
    else this.#steps.set(event.stepId, [event]);
  }
}

/** Ends of model calls are paid for, outside effects cannot be undone, checkpoints and verdicts are what others rely on. */
function isCritical({ kind, payload }: EventDraft): boolean {
  if (payload.type === "begin") return payload.effect === "outside";
  return (payload.type === "end" && payload.tokens !== undefined) || kind === "checkpoint" || kind === "verdict";
}

function deepFreeze(value: unknown): void {
  if (value === null || typeof value !== "object" || Object.isFrozen(value)) return;
  Object.freeze(value);
  for (const entry of Object.values(value)) deepFreeze(entry);
}

function elapsedBefore(events: readonly RunEvent[]): number {
  const elapsed = events.at(-1)?.payload.measured?.["elapsedMs"];
  return typeof elapsed === "number" ? elapsed : 0;
}
