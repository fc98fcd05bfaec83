import {
  AdmissionSchema,
  type Fault,
  type FrozenSuite,
  FrozenSuiteSchema,
  type Json,
  type JsonObject,
  type RunEvent,
  runPath,
  type SnapshotId,
  type StepRecord,
  type Trajectory,
  type Verdict,
  VerdictSchema,
} from "@swarm/core";
import { attemptOf, OpenCalls } from "../view/open-calls.ts";

/** What one step handed to the next: what it was given and gave. `result` is null of one that did not end. */
export type StepEvidence = {
  event: number;
  step: string;
  program: string;
  input: Json;
  /** Of each attempt that failed. */
  faults: Fault[];
  result: { attempts: number; ok: boolean; output?: Json; fault?: Fault } | null;
  /** In a branch that lost its race. */
  lost: boolean;
};

/** What somebody found wrong: with an attempt (`hint`), or in a step whose output calls it `critique` or `diagnosis`. */
export type Reflection = { event: number; step: string; kind: string; text: Json };

export type TestEvidence = {
  event: number;
  step: string;
  attempt: number;
  suites: string[];
  snapshot: string;
  report: Json;
};

/** What became of a suite: the task's own (`prepare`), one that the oracle was asked to take, or one that counts from here on (`frozen`). */
export type SuiteEvidence = { event: number; asked: string } & (
  | { suite: FrozenSuite }
  | { id: string; refused: string }
);

/** The files as a step left them where it changed some, or as a note names them by a `snapshot`. */
export type StateEvidence = { event: number; name: string; snapshot: SnapshotId };

/** What the log of any team's run has to show, each in the order in which it happened. */
export type Evidence = {
  steps: StepEvidence[];
  reflections: Reflection[];
  tests: TestEvidence[];
  suites: SuiteEvidence[];
  states: StateEvidence[];
  /** What the workflow noted, by its kind: the name of a note's one field. Each stands as it was noted, whatever came later. */
  notes: ReadonlyMap<string, JsonObject[]>;
  judgements: { event: number; asked: string; verdict: Verdict }[];
};

const REFLECTIONS = ["critique", "diagnosis"];

/** From the log alone, by what any team may do; no team is treated otherwise than another. */
export function collect({ header, events }: Pick<Trajectory, "header" | "events">): Evidence {
  const lost = new Set(
    runPath({ header, events }).nodes.flatMap(({ lost, stepId }) => (lost && stepId ? [stepId] : [])),
  );
  const found = { ...none(), notes: new Map<string, JsonObject[]>() };
  const begun = new Map<string, StepRecord>();
  const calls = new OpenCalls();
  for (const event of events) {
    const { tsIndex, stepId, key, agent, payload } = event;
    if (key === null) continue; // what the machinery did is no evidence of the work
    calls.begin(event);
    switch (payload.type) {
      case "step": {
        const { stepId: step, program, input } = payload.step;
        begun.set(step, payload.step);
        found.steps.push({ event: tsIndex, step, program, input, faults: [], result: null, lost: lost.has(step) });
        break;
      }
      case "fault":
        found.steps.find(({ step }) => step === stepId)?.faults.push(payload.fault);
        break;
      case "frozen":
        found.suites.push({ event: tsIndex, asked: "frozen", suite: payload.suite });
        break;
      case "result": {
        const { stepId: step, snapshot, ...result } = payload.result;
        const known = found.steps.find((one) => one.step === step);
        if (known) known.result = result;
        if (!result.ok) break;
        if (snapshot !== begun.get(step)?.snapshot) found.states.push({ event: tsIndex, name: step, snapshot });
        for (const [kind, text] of Object.entries(objectOf(result.output)))
          if (REFLECTIONS.includes(kind)) found.reflections.push({ event: tsIndex, step, kind, text });
        break;
      }
      case "recovered":
        if (payload.how === "hint")
          found.reflections.push({ event: tsIndex, step: stepId, kind: "hint", text: payload.detail });
        break;
      case "end":
        ended(event, payload, calls, found);
        break;
      case "note": {
        const [kind = "", ...more] = Object.keys(payload.note);
        const rows = more.length === 0 ? kind : "notes";
        found.notes.set(rows, [...(found.notes.get(rows) ?? []), { event: tsIndex, agent, ...payload.note }]);
        const { snapshot, task } = objectOf(payload.note[kind]);
        if (typeof snapshot === "string")
          found.states.push({ event: tsIndex, name: typeof task === "string" ? `${kind}-${task}` : kind, snapshot });
      }
    }
  }
  return found;
}

function none(): Omit<Evidence, "notes"> {
  return { steps: [], reflections: [], tests: [], suites: [], states: [], judgements: [] };
}

function ended(
  event: RunEvent,
  { value, snapshot }: Extract<RunEvent["payload"], { type: "end" }>,
  calls: OpenCalls,
  { tests, suites, judgements }: Omit<Evidence, "notes">,
): void {
  const call = calls.end(event)?.call;
  const { tsIndex, stepId, key } = event;
  if (call?.op === "test")
    tests.push({
      event: tsIndex,
      step: stepId,
      attempt: attemptOf(key) + 1,
      suites: call.suites,
      snapshot,
      report: value,
    });
  if (call?.op !== "other") return;
  const [asked = "", id = ""] = call.name.split(/ (.*)/s);
  const verdict = VerdictSchema.safeParse(value).data;
  if (verdict) judgements.push({ event: tsIndex, asked, verdict });
  for (const suite of FrozenSuiteSchema.array().safeParse(value).data ?? [])
    suites.push({ event: tsIndex, asked, suite });
  const admission = AdmissionSchema.safeParse(value).data;
  if (admission?.ok) suites.push({ event: tsIndex, asked, suite: admission.output });
  else if (admission) suites.push({ event: tsIndex, asked, id, refused: admission.fault.message });
}

function objectOf(value: Json | undefined): JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? value : {};
}
