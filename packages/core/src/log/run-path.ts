import type { LogHeader, RunEvent } from "../contracts/event.ts";
import type { Fault } from "../contracts/fault.ts";
import type { Json, JsonObject } from "../contracts/json.ts";
import { AdmissionSchema } from "../contracts/suite.ts";
import { VerdictSchema } from "../contracts/verdict.ts";
import { sharedOf } from "./past.ts";
import type { RaceEnd } from "./races.ts";

/**
 * What a place on a run's path is: where it starts, an attempt of a step, the diagnosis of one that failed, a suite that the oracle
 * is asked to admit, to try it or to freeze it, a milestone (a state of the files that a note of the workflow names by its `snapshot`), a
 * judgement in between, the last one, and the end; and what happened to the run from outside.
 */
export type PathKind =
  | "start"
  | "attempt"
  | "diagnosis"
  | "admit"
  | "freeze"
  | "milestone"
  | "check"
  | "verify"
  | "end"
  | "resume"
  | "redelivery"
  | "fork";

/** A place on a run's path. */
export type PathNode = {
  kind: PathKind;
  /**
   * The same in all runs of a team: the name of an attempt's program, `diagnose` and that name, the kind of a milestone's note (the
   * name of its one field), otherwise the kind.
   */
  state: string;
  /** The event that it begins with, by its `tsIndex`; null for the start. */
  at: number | null;
  /** The step of an attempt or a diagnosis; null otherwise. */
  stepId: string | null;
  /** `run`, or the branch of a race or of `all` that it is in, such as `run/race-implement/1`. */
  lane: string;
  /** From 0, of the step; null where it is no part of one. */
  attempt: number | null;
  /**
   * How it ended; null where it has not, or was cut off. Of an attempt `ok`, `retry` or `failed`, of a diagnosis `hint` or `no hint`,
   * of a suite `admitted` or `refused`, of a milestone the note's `status`, of a judgement `passed` or `not passed`, of the end the
   * verdict's outcome. A call of the oracle that broke is `broken`.
   */
  outcome: string | null;
  /** What else is to be said: the fault, the hint, the suite's id, the milestone's `task`, the verdict's first reason. */
  detail: string | null;
  /** In a branch that lost its race. */
  lost: boolean;
  /** In the past that a fork shares with its parent. */
  shared: boolean;
};

/** From one place to the next, by their index in `nodes`. `outside`: nothing that the team did, such as a crash with its resume. */
export type PathEdge = { from: number; to: number; outside: boolean };

/** The way that a run took: a view of its log, which can be made again from it at any time. */
export type RunPath = { runId: string; taskId: string; team: string; nodes: PathNode[]; edges: PathEdge[] };

/** A step of a team's way that any of its runs may take: from a state that ended in some way to the next. */
export type Transition = { from: string; outcome: string | null; to: string };

/** The path of a run, finished or not: steps with their attempts, races and branches, resumes, forks and the verdict. */
export function runPath({ header, events }: { header: LogHeader; events: readonly RunEvent[] }): RunPath {
  const walk = new Walk(header);
  for (const event of events) walk.take(event);
  const { runId, task, team } = header;
  return { runId, taskId: task.id, team: team.name, nodes: walk.nodes, edges: walk.edges };
}

/** What a team's diagram is held against: each transition that a path takes, once. What came from outside is none. */
export function transitionsOf({ nodes, edges }: RunPath): Transition[] {
  const all = edges.flatMap(({ from, to, outside }): [string, Transition][] => {
    const [before, after] = [nodes[from]!, nodes[to]!];
    const transition = { from: before.state, outcome: before.outcome, to: after.state };
    return outside ? [] : [[JSON.stringify(transition), transition]];
  });
  return [...new Map(all).values()];
}

type StepState = { lane: string; program: string; node: number | null };

/** Goes through a log once. A lane's next place comes after its tails: one place, or several where branches were joined. */
class Walk {
  readonly nodes: PathNode[] = [];
  readonly edges: PathEdge[] = [];
  readonly #tails = new Map<string, readonly number[]>();
  readonly #steps = new Map<string, StepState>();
  readonly #calls = new Map<string, number>();
  readonly #shared: number;
  /** The end of a run that was cut short, which may be resumed. */
  #earlyEnd: number | null = null;

  constructor(header: LogHeader) {
    this.#shared = sharedOf(header);
    const detail = header.parent && `forked from run ${header.parent.runId} at event ${header.parent.at}`;
    this.#tails.set("run", [this.#node("start", "run", null, { detail, shared: header.parent !== null })]);
  }

  take(event: RunEvent): void {
    const { stepId, key, payload } = event;
    const step = this.#steps.get(stepId);
    switch (payload.type) {
      case "step":
        this.#steps.set(payload.step.stepId, { lane: stepId, program: payload.step.program, node: null });
        break;
      case "attempt":
        if (step) this.#attempt(event, step);
        break;
      case "fault":
        if (step && key !== null) this.#fault(event, step, payload.fault);
        break;
      case "begin":
        if (step && key !== null) this.#diagnosis(event, step);
        else if (!step && payload.call.op === "other") this.#callBegin(event, payload.call.name);
        break;
      case "end":
        this.#callEnd(`${stepId} ${payload.of}`, payload.value, payload.fault);
        break;
      case "frozen":
        this.#frozen(event, payload.suite.id);
        break;
      case "result":
        this.#result(stepId, payload.result.stepId, payload.result.ok ? null : payload.result.fault);
        break;
      case "recovered":
        this.#recovered(event, payload, step);
        break;
      case "note":
        if (key !== null) this.#milestone(event, payload.note);
        else if (payload.note["event"] === "forked") this.#fromOutside(event, "fork");
        break;
      case "verdict": {
        const { outcome, reasons } = payload.verdict;
        const node = this.#node("end", stepId, event, { outcome, detail: reasons[0] ?? null });
        if (key !== null) this.#link(this.#tailsOf(stepId), node);
        else this.#earlyEnd = this.#link(this.#current(node), node, true);
      }
    }
  }

  #attempt(event: RunEvent, step: StepState): void {
    const before = step.node;
    if (before !== null && this.nodes[before]!.kind === "attempt") this.nodes[before]!.outcome = "retry";
    const node = this.#node("attempt", step.lane, event, { state: step.program, ...placeIn(event) });
    this.#link(before === null ? this.#tailsOf(step.lane) : [before], node);
    step.node = node;
    this.#tails.set(step.lane, [node]);
  }

  /** The attempt's own fault, or after it that of its diagnosis. */
  #fault(event: RunEvent, step: StepState, fault: Fault): void {
    this.#diagnosis(event, step);
    const node = step.node === null ? undefined : this.nodes[step.node];
    if (!node) return;
    node.outcome = node.kind === "attempt" ? "failed" : "no hint";
    node.detail = inWords(fault);
  }

  /** What a step does after its attempt failed is the attempt's diagnosis. */
  #diagnosis(event: RunEvent, step: StepState): void {
    const failed = step.node === null ? undefined : this.nodes[step.node];
    if (step.node === null || failed?.kind !== "attempt" || failed.outcome !== "failed") return;
    failed.outcome = "retry";
    const node = this.#node("diagnosis", step.lane, event, { state: `diagnose ${step.program}`, ...placeIn(event) });
    step.node = this.#link([step.node], node);
  }

  #result(lane: string, stepId: string, fault: Fault | null): void {
    const step = this.#steps.get(stepId);
    if (!step || step.node === null) return;
    const node = this.nodes[step.node]!;
    if (node.kind === "attempt") node.outcome = fault ? "failed" : "ok";
    if (fault) node.detail ??= inWords(fault);
    this.#tails.set(lane, [step.node]);
  }

  /** A call of the engine itself. */
  #callBegin(event: RunEvent, name: string): void {
    const [kind, suite = null] = name.split(/ (.*)/s);
    if (kind !== "admit" && kind !== "freeze" && kind !== "check" && kind !== "verify") return;
    this.#calls.set(`${event.stepId} ${event.key}`, this.#next(event, kind, { detail: suite }));
  }

  #callEnd(call: string, value: unknown, fault: Fault | null): void {
    const node = this.nodes[this.#calls.get(call) ?? -1];
    if (!node) return;
    const admission = AdmissionSchema.safeParse(value).data;
    const verdict = VerdictSchema.safeParse(value).data;
    if (fault) [node.outcome, node.detail] = ["broken", inWords(fault)];
    else if (verdict) node.outcome = verdict.passed ? "passed" : "not passed";
    else if (admission?.ok) node.outcome = "admitted";
    else if (admission) [node.outcome, node.detail] = ["refused", `${node.detail}: ${admission.fault.message}`];
  }

  /** One that had been admitted before is frozen without a call. */
  #frozen(event: RunEvent, suite: string): void {
    const [last = 0] = this.#tailsOf(event.stepId);
    if (this.nodes[last]?.kind === "freeze" && this.nodes[last]?.detail === suite) return;
    this.#next(event, "freeze", { detail: suite, outcome: "admitted" });
  }

  #milestone(event: RunEvent, note: JsonObject): void {
    const [[state, value] = []] = Object.entries(note);
    if (state === undefined || typeof value !== "object" || value === null || Array.isArray(value)) return;
    const { snapshot, status, task } = value;
    if (typeof snapshot !== "string") return;
    const known = { outcome: textOf(status), detail: textOf(task) };
    this.#next(event, "milestone", { state, ...known });
  }

  #recovered(
    event: RunEvent,
    { how, detail }: Extract<RunEvent["payload"], { type: "recovered" }>,
    step?: StepState,
  ): void {
    const { stepId } = event;
    if (how === "hint" && step) {
      this.#diagnosis(event, step);
      if (step.node !== null) Object.assign(this.nodes[step.node]!, { outcome: "hint", detail: String(detail) });
    } else if (how === "winner") {
      const { race, winner } = detail as RaceEnd;
      const ahead = this.#tailsOf(`${race}/${winner}`);
      for (const node of this.nodes)
        if (isIn(node.lane, race) && !isIn(node.lane, `${race}/${winner}`)) node.lost = true;
      this.#tails.set(stepId, ahead);
    } else if (how === "merged") {
      const branches = [...this.#tails.keys()].filter((lane) => parentOf(lane) === stepId && ALL.test(lane));
      const all = folderOf(branches.at(-1) ?? "");
      const tails = branches.filter((lane) => folderOf(lane) === all).flatMap((lane) => this.#tailsOf(lane));
      if (tails.length > 0) this.#tails.set(stepId, [...new Set(tails)]);
    } else if (how === "resume") {
      const { at, tookOver } = detail as { at: number; tookOver: number | null };
      this.#fromOutside(event, "resume", `at event ${at}${tookOver === null ? "" : `; process ${tookOver} had died`}`);
    } else if (how === "redelivered") this.#fromOutside(event, "redelivery");
  }

  /** A loop from where the run was, and back to it. */
  #fromOutside(event: RunEvent, kind: PathKind, detail: string | null = null): void {
    const node = this.#node(kind, "run", event, { detail });
    const current = this.#current(node, event.stepId);
    this.#link(this.#earlyEnd === null ? current : [this.#earlyEnd], node, true);
    this.#earlyEnd = null;
    for (const back of current) this.#link([node], back, true);
  }

  /** Where the run was before `node` was there: in the step that an event names, else at what had not ended, else where it came last. */
  #current(node: number, stepId?: string): readonly number[] {
    const own = stepId === undefined ? undefined : this.#steps.get(stepId)?.node;
    if (typeof own === "number") return [own];
    const before = [...this.nodes.keys()].filter((index) => index < node && !isOutside(this.nodes[index]!));
    const open = before.filter((index) => isOpen(this.nodes[index]!));
    return open.length > 0 ? open : before.slice(-1);
  }

  #tailsOf(lane: string): readonly number[] {
    return this.#tails.get(lane) ?? this.#tailsOf(parentOf(lane));
  }

  #node(kind: PathKind, lane: string, event: RunEvent | null, known: Partial<PathNode>): number {
    const shared = event !== null && event.tsIndex < this.#shared;
    const base = { kind, state: kind, at: event?.tsIndex ?? null, stepId: null, lane, attempt: null };
    this.nodes.push({ ...base, outcome: null, detail: null, lost: false, shared, ...known });
    return this.nodes.length - 1;
  }

  /** The next place of a lane that is none of a step's. */
  #next(event: RunEvent, kind: PathKind, known: Partial<PathNode>): number {
    const { stepId: lane } = event;
    const node = this.#link(this.#tailsOf(lane), this.#node(kind, lane, event, known));
    this.#tails.set(lane, [node]);
    return node;
  }

  #link(from: readonly number[], to: number, outside = false): number {
    this.edges.push(...from.map((one) => ({ from: one, to, outside })));
    return to;
  }
}

/** The lane of a branch of `all`. */
const ALL = /\/all(?:\.\d+)?\/[^/]+$/;

/** The lane that a branch was forked from: `run` for `run/race-implement/1`. */
function parentOf(lane: string): string {
  return lane.split("/").slice(0, -2).join("/") || "run";
}
function folderOf(lane: string): string {
  return lane.split("/").slice(0, -1).join("/");
}
function isIn(lane: string, path: string): boolean {
  return lane === path || lane.startsWith(`${path}/`);
}
/** Whether a place tells of what happened to the run: also the end of one that was cut short, which nothing but that leads to. */
function isOutside({ kind }: PathNode): boolean {
  return kind === "end" || kind === "resume" || kind === "redelivery" || kind === "fork";
}

/** Whether work began there that has not ended. */
function isOpen({ kind, outcome, lost }: PathNode): boolean {
  return outcome === null && !lost && kind !== "start" && kind !== "milestone";
}

function textOf(value: Json | undefined): string | null {
  return typeof value === "string" ? value : null;
}

function placeIn({ stepId, key }: RunEvent): Pick<PathNode, "stepId" | "attempt"> {
  return { stepId, attempt: Number(key?.split(".")[0]) };
}

function inWords({ code, message, test }: Fault): string {
  return `${code}: ${test ?? message}`;
}
