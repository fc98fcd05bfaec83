import type { Call, EventDraft, RunEvent } from "../contracts/event.ts";
import { asJson } from "../contracts/json.ts";
import { type Difference, differencesBetween } from "../json-differences.ts";
import { canonicalEvent, compareKeys } from "./canonical.ts";
import { mask } from "./masks.ts";
import { isOfLoser, type Winners, winnersOf } from "./races.ts";

/** Why two runs of one task part. */
export type DivergenceCause =
  /** The task is another one than that of the log; `field` is the first part of it that is. */
  | { kind: "task"; field: string }
  /** A model was asked something else: `part` says what of the request, `tool` whose description where it is a tool's. */
  | { kind: "prompt"; role: string; part: "system" | "tools" | "turns" | "settings" | "model"; tool: string | null }
  /** The same call of a tool gave another output, or left other files behind. */
  | { kind: "tool-output"; tool: string }
  /** The same test run gave another report. */
  | { kind: "test-result" }
  /** The oracle said something else; `call` is what it was asked: `prepare`, `admit …`, `freeze …`, `check`, `verify`. */
  | { kind: "oracle"; call: string }
  /** Another answer came from outside, such as from a memory; a replay takes it from the log, so that only two runs part here. */
  | { kind: "fact"; call: string }
  /** What was done is the same, in another order. */
  | { kind: "order" }
  /** The log has a call that was not made now, or the other way round. */
  | { kind: "missing-call"; call: string }
  | { kind: "extra-call"; call: string }
  /** The program or the workflow did something else of its own. */
  | { kind: "program" };

/**
 * The first place where two runs differ: `event` is of the first run, `other` of the second; null where it has nothing there.
 * `differences` are the parts of the two that are not the same.
 */
export type Divergence = {
  stepId: string;
  event: RunEvent | null;
  other: RunEvent | null;
  cause: DivergenceCause;
  differences: Difference[];
};

type Options = {
  /** Whether the first run may stop anywhere, as the log of one that was cut short does. Default false. */
  openEnd?: boolean;
};

/** Compares two logs step by step; null when they are equal. */
export function firstDivergence(
  events: readonly RunEvent[],
  others: readonly RunEvent[],
  { openEnd = false }: Options = {},
): Divergence | null {
  // a race that the first run was cut off in has its winner only in the second
  const winners = openEnd ? new Map([...winnersOf(others), ...winnersOf(events)]) : null;
  const [left, right] = [events, others].map((run) => causalEvents(run, winners ?? winnersOf(run))) as [Causal, Causal];
  let first: { found: Parting; place: number } | null = null;
  for (const stepId of new Set([...left.steps.keys(), ...right.steps.keys()])) {
    const found = partingOf(left.steps.get(stepId) ?? [], right.steps.get(stepId) ?? [], openEnd);
    if (!found) continue;
    // what a step did otherwise comes before what its lane makes of it
    const place = Math.min(left.placeOf(found.event), right.placeOf(found.other));
    const deeper = first !== null && place === first.place && stepId.length > first.found.stepId.length;
    if (first === null || place < first.place || deeper) first = { found: { ...found, stepId }, place };
  }
  return first && explained(first.found, left.steps, right.steps);
}

type Parting = { stepId: string; index: number; event: RunEvent | null; other: RunEvent | null };
type Steps = ReadonlyMap<string, readonly RunEvent[]>;
type Causal = { steps: Steps; placeOf(event: RunEvent | null): number };

/**
 * The causal events, step by step, each step's in the order of their keys, with the place of each among all. Ambient ones and
 * those of lanes that lost a race are no part of what a run is.
 */
function causalEvents(events: readonly RunEvent[], winners: Winners): Causal {
  const causal = events.filter((event) => event.key !== null && !isOfLoser(event, winners));
  const places = new Map(causal.map((event, place) => [event, place]));
  const steps = Map.groupBy(causal, ({ stepId }) => stepId);
  for (const step of steps.values()) step.sort((a, b) => compareKeys(a.key, b.key));
  return { steps, placeOf: (event) => (event === null ? Number.POSITIVE_INFINITY : places.get(event)!) };
}

function partingOf(a: readonly RunEvent[], b: readonly RunEvent[], openEnd: boolean): Omit<Parting, "stepId"> | null {
  for (let index = 0; index < (openEnd ? a.length : Math.max(a.length, b.length)); index++) {
    const event = a[index] ?? null;
    const other = b[index] ?? null;
    if (!event || !other || canonicalEvent(event) !== canonicalEvent(other)) return { index, event, other };
  }
  return null;
}

function explained({ stepId, index, event, other }: Parting, left: Steps, right: Steps): Divergence {
  const rest = [left, right].map((steps) => (steps.get(stepId) ?? []).slice(index));
  const cause = causeOf(event, other, { before: left.get(stepId) ?? [], rest: rest as [RunEvent[], RunEvent[]] });
  const differences = event && other ? differencesOf(event, other) : [];
  return { stepId, event, other, cause, differences };
}

/** What differs in two events, as it was before masking. */
function differencesOf(event: RunEvent, other: RunEvent): Difference[] {
  const plain = ({ kind, agent, payload: { measured: _, ...payload } }: RunEvent) => asJson({ kind, agent, payload });
  const differences = differencesBetween(plain(event), plain(other), (a, b) => mask(a) === mask(b));
  return differences.length > 0 ? differences : differencesBetween(plain(event), plain(other));
}

type Around = { before: readonly RunEvent[]; rest: [RunEvent[], RunEvent[]] };

function causeOf(event: RunEvent | null, other: RunEvent | null, { before, rest }: Around): DivergenceCause {
  if (event && other) {
    const outcome = outcomeCause(event, other, before);
    if (outcome) return outcome;
    const prompt = promptCause(event, other);
    if (prompt) return prompt;
  }
  const [recorded, now] = rest.map((events) => new Set(events.map(withoutKey)));
  const stillToCome = event !== null && now!.has(withoutKey(event));
  const wasToCome = other !== null && recorded!.has(withoutKey(other));
  if (stillToCome && wasToCome) return { kind: "order" };
  const [gone, added] = [callOf(event), callOf(other)];
  if (gone !== null && !stillToCome && (wasToCome || other === null || added === null)) {
    return { kind: "missing-call", call: gone };
  }
  if (added !== null && !wasToCome && (stillToCome || event === null || gone === null)) {
    return { kind: "extra-call", call: added };
  }
  return { kind: "program" };
}

/** Of ends of the same call. */
function outcomeCause(event: RunEvent, other: RunEvent, before: readonly RunEvent[]): DivergenceCause | null {
  const [then, now] = [event.payload, other.payload];
  if (then.type !== "end" || now.type !== "end" || then.of !== now.of) return null;
  const begin = before.find(({ key }) => key === then.of)?.payload;
  if (begin?.type !== "begin") return null;
  const { call } = begin;
  if (call.op === "tool") return { kind: "tool-output", tool: call.tool };
  if (call.op === "test") return { kind: "test-result" };
  if (call.op === "other") return { kind: event.kind === "test" ? "oracle" : "fact", call: call.name };
  return null;
}

/** Of requests to a model by the same role; what of them differs is in blobs, so it is only told apart roughly here. */
function promptCause(event: RunEvent, other: RunEvent): DivergenceCause | null {
  const [then, now] = [modelCallOf(event), modelCallOf(other)];
  if (!then || !now || event.agent !== other.agent) return null;
  const part = then.model !== now.model ? "model" : then.settings !== now.settings ? "settings" : "turns";
  return { kind: "prompt", role: event.agent ?? "", part, tool: null };
}

function modelCallOf({ payload }: RunEvent): (Call & { op: "model" }) | null {
  return payload.type === "begin" && payload.call.op === "model" ? payload.call : null;
}

/** A call in words; null where the event is of none. */
function callOf(event: RunEvent | null): string | null {
  if (event?.payload.type !== "begin") return null;
  const { call } = event.payload;
  if (call.op === "model") return `${event.agent} asks ${call.model}`;
  if (call.op === "tool") return `${event.agent} calls ${call.tool}`;
  return call.op === "test" ? "a test run" : call.name;
}

/** An event as it is compared, wherever it comes in its step. */
function withoutKey(event: RunEvent): string {
  const { payload } = event;
  const anywhere = payload.type === "end" ? { ...payload, of: "" } : payload;
  return canonicalEvent({ ...event, key: "", payload: anywhere } as EventDraft);
}
