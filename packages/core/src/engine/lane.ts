import { untilAborted } from "../abort.ts";
import type { EventKind, Payload, StepRecord } from "../contracts/event.ts";
import type { Executor, Site, StepHost } from "../contracts/executor.ts";
import type { SnapshotId } from "../contracts/files.ts";
import type { Json, JsonObject } from "../contracts/json.ts";
import type { Oracle } from "../contracts/oracle.ts";
import type { FilesView, StepProgram } from "../contracts/program.ts";
import type { Step, StepResult, Variant } from "../contracts/step.ts";
import type { Admission, FrozenSuite, Suite } from "../contracts/suite.ts";
import { type Task, viewOf } from "../contracts/task.ts";
import type { RunContext, StepOptions } from "../contracts/team.ts";
import type { Verdict } from "../contracts/verdict.ts";
import { abortReason, CallError, InvalidInputError, MergeConflictError, RefusedError } from "../errors.ts";
import { mapStrings, toJson } from "../json-value.ts";
import type { Journal } from "../log/journal.ts";
import type { Winners } from "../log/races.ts";
import { redact } from "../redact.ts";
import { faultOfError } from "./fault-of-error.ts";
import { OneAtATime } from "./one-at-a-time.ts";

export const DEFAULT_STEP_TIMEOUT_MS = 20 * 60_000;

/** What all lanes of a run share. */
export type RunParts = {
  task: Task;
  site: Site;
  oracle: Oracle;
  executor: Executor;
  journal: Journal;
  /** Winners of races that were decided in an earlier life of the run, or in the run that is replayed. */
  winners: Winners;
};
type Start = { path: string; snapshot: SnapshotId; suites: readonly FrozenSuite[]; signal: AbortSignal };

/**
 * One line of work of a workflow: the root, a branch of `all` or a variant of `race`. It writes its own events under its
 * path, and what its log holds already is given from there.
 */
export class Lane implements RunContext {
  readonly #run: RunParts;
  readonly #path: string;
  readonly #signal: AbortSignal;
  readonly #gate = new OneAtATime();
  readonly #names = new Map<string, number>();
  readonly #suites: FrozenSuite[];
  #snapshot: SnapshotId;
  #claimed = 0;

  constructor(run: RunParts, { path, snapshot, suites, signal }: Start) {
    this.#run = run;
    this.#path = path;
    this.#snapshot = snapshot;
    this.#suites = [...suites];
    this.#signal = signal;
  }

  get task() {
    return viewOf(this.#run.task);
  }
  get snapshot() {
    return this.#snapshot;
  }
  get suites(): readonly FrozenSuite[] {
    return this.#suites;
  }
  get files(): FilesView {
    const { snapshots } = this.#run.site.sandbox;
    return { list: () => snapshots.list(this.#snapshot), read: (path) => snapshots.read(this.#snapshot, path) };
  }

  step<I extends Json, O extends Json>(
    program: StepProgram<I, O>,
    input: I,
    options: StepOptions = {},
  ): Promise<StepResult<O>> {
    return this.#gate.run(async () => {
      const step = this.#order(program, input, options);
      await this.#put("checkpoint", null, { type: "step", step: recordOf(step) });
      const key = this.#key();
      const recorded = this.#recorded(key);
      if (recorded?.type === "result") return this.#advance(recorded.result) as StepResult<O>;
      const result = await this.#run.executor.runStep(step, this.#host());
      await this.#put("checkpoint", null, { type: "result", result }, key);
      return this.#advance(result) as StepResult<O>;
    });
  }

  race<I extends Json, O extends Json>(
    program: StepProgram<I, O>,
    input: I,
    variants: readonly Variant[],
    options: Omit<StepOptions, "variant"> = {},
  ): Promise<StepResult<O>> {
    return this.#gate.run(async () => {
      const path = this.#name(`race-${program.name}`);
      const key = this.#key();
      const winner = this.#run.winners.get(path);
      const losers = new AbortController();
      const runs = variants.map((variant, index) => {
        const signal = AbortSignal.any([this.#signal, losers.signal]);
        const run = () => this.#fork(`${path}/${index}`, signal).step(program, input, { ...options, variant });
        return winner === undefined || winner === index
          ? run()
          : Promise.reject(new RefusedError("ABORTED", "lost its race"));
      });
      const [index, result] = await firstSuccess(runs);
      await this.#put(
        "recovery",
        null,
        { type: "recovered", how: "winner", detail: { race: path, winner: index } },
        key,
      );
      losers.abort(new RefusedError("ABORTED", "lost its race"));
      await Promise.allSettled(runs);
      return this.#advance(result) as StepResult<O>;
    });
  }

  all<R extends Json>(branches: Record<string, (run: RunContext) => Promise<R>>): Promise<Record<string, R>> {
    return this.#gate.run(async () => {
      const lanes = Object.entries(branches).map(([name, branch]) => ({
        name,
        branch,
        lane: this.#fork(`${this.#path}/${name}`),
      }));
      const settled = await Promise.allSettled(lanes.map(({ branch, lane }) => branch(lane)));
      const failed = settled.find((result) => result.status === "rejected");
      if (failed) throw failed.reason;
      const forks = lanes.map(({ lane }) => lane.#snapshot);
      const { snapshot, conflicts } = await this.#run.site.sandbox.snapshots.merge(this.#snapshot, forks);
      if (conflicts.length > 0) throw new MergeConflictError(conflicts);
      const detail = { snapshot, lanes: lanes.map(({ name }) => name) };
      await this.#put("recovery", null, { type: "recovered", how: "merged", detail });
      this.#snapshot = snapshot;
      for (const suite of lanes.flatMap(({ lane }) => lane.#suites)) this.#adopt(suite);
      return Object.fromEntries(
        lanes.map(({ name }, index) => [name, (settled[index] as PromiseFulfilledResult<R>).value]),
      );
    });
  }

  freeze(suite: Suite): Promise<Admission> {
    return this.#gate.run(async () => {
      const { oracle, journal } = this.#run;
      const admit = (signal: AbortSignal) =>
        oracle.admit(suite, journal.header.base, { sandbox: this.#run.site.sandbox, signal });
      const admission = await this.#call<Admission>(`freeze ${suite.id}`, admit);
      if (!admission.ok) return admission;
      this.#adopt(admission.output);
      await this.#put("checkpoint", null, { type: "frozen", suite: admission.output });
      return admission;
    });
  }

  check(suites: readonly string[]): Promise<Verdict> {
    return this.#gate.run(() =>
      this.#judge(
        "check",
        "check",
        this.#suites.filter(({ id }) => suites.includes(id)),
      ),
    );
  }

  note(agent: string, note: JsonObject): Promise<void> {
    return this.#gate.run(() =>
      this.#put("agent", agent, { type: "note", note: mapStrings(toJson(note), redact) as JsonObject }),
    );
  }

  /** The engine's own: the suites that the task brings, before the workflow begins. */
  prepare(): Promise<void> {
    return this.#gate.run(async () => {
      const { oracle, journal, task, site } = this.#run;
      const input = { task, base: journal.header.base };
      const suites = await this.#call<FrozenSuite[]>("prepare", (signal) =>
        oracle.prepare(input, { sandbox: site.sandbox, signal }),
      );
      this.#suites.push(...suites);
    });
  }

  /** The engine's own: the workflow's report, and the verdict that ends the run. */
  conclude(report: Json): Promise<void> {
    return this.#gate.run(async () => {
      await this.#put("checkpoint", null, { type: "note", note: { report: mapStrings(toJson(report), redact) } });
      const verdict = await this.#judge("verify", "full", this.#suites);
      await this.#put("verdict", null, { type: "verdict", verdict });
    });
  }

  #order<I extends Json, O extends Json>(program: StepProgram<I, O>, input: I, options: StepOptions): Step {
    const { team } = this.#run.site;
    const checked = program.input.safeParse(input);
    if (!checked.success) throw new InvalidInputError(`input of ${program.name}`, checked.error.message);
    return {
      runId: this.#run.journal.header.runId,
      stepId: this.#name(program.name),
      team: { name: team.name, version: team.version, config: team.config },
      program: program.name,
      input: toJson(checked.data),
      task: this.task,
      snapshot: this.#snapshot,
      suites: [...this.#suites],
      maxRetries: options.maxRetries ?? 0,
      timeoutMs: options.timeoutMs ?? DEFAULT_STEP_TIMEOUT_MS,
      ...(options.variant ? { variant: options.variant } : {}),
    };
  }

  #advance(result: StepResult): StepResult {
    if (result.ok) this.#snapshot = result.snapshot;
    return result;
  }

  #adopt(suite: FrozenSuite): void {
    if (!this.#suites.some(({ id }) => id === suite.id)) this.#suites.push(suite);
  }

  #fork(path: string, signal = this.#signal): Lane {
    return new Lane(this.#run, { path, snapshot: this.#snapshot, suites: this.#suites, signal });
  }

  #host(): StepHost {
    const { journal, site } = this.#run;
    return {
      signal: this.#signal,
      claim: async (stepId) => journal.claim(stepId),
      append: (epoch, events) => journal.append(events, this.#signal, epoch),
      site: async () => site,
    };
  }

  #judge(name: string, depth: "check" | "full", suites: readonly FrozenSuite[]): Promise<Verdict> {
    const { oracle, journal, task, site } = this.#run;
    const input = { task, base: journal.header.base, final: this.#snapshot, suites, depth };
    return this.#call<Verdict>(name, (signal) => oracle.verify(input, { sandbox: site.sandbox, signal }));
  }

  /** A call of the engine itself, in the log like any other. */
  async #call<T extends Json>(name: string, run: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const of = this.#key();
    await this.#put("test", null, { type: "begin", call: { op: "other", name }, effect: "none" }, of);
    const key = this.#key();
    const recorded = this.#recorded(key);
    if (recorded?.type === "end") return this.#value<T>(recorded);
    const started = performance.now();
    const { value, fault } = await this.#outcome(run);
    const measured = { ms: Math.round(performance.now() - started) };
    const end = { type: "end", of, value, fault, snapshot: this.#snapshot, measured } as const;
    await this.#put("test", null, end, key);
    return this.#value<T>(end);
  }

  async #outcome(
    run: (signal: AbortSignal) => Promise<Json>,
  ): Promise<Pick<Payload & { type: "end" }, "value" | "fault">> {
    try {
      return { value: mapStrings(toJson(await untilAborted(this.#signal, run)), redact), fault: null };
    } catch (error) {
      if (this.#signal.aborted) throw abortReason(this.#signal);
      return { value: null, fault: faultOfError(error) };
    }
  }

  #value<T extends Json>({ value, fault }: Pick<Payload & { type: "end" }, "value" | "fault">): T {
    if (fault) throw new CallError(fault);
    return value as T;
  }

  #put(kind: EventKind, agent: string | null, payload: Payload, key = this.#key()): Promise<void> {
    return this.#run.journal.append([{ stepId: this.#path, key, kind, agent, payload }], this.#signal);
  }

  #recorded(key: string): Payload | undefined {
    return this.#run.journal.at(this.#path, key)?.payload;
  }

  #key(): string {
    return `0.${this.#claimed++}`;
  }

  /** Names repeat as `implement`, `implement.2`, … */
  #name(program: string): string {
    const count = (this.#names.get(program) ?? 0) + 1;
    this.#names.set(program, count);
    return `${this.#path}/${program}${count > 1 ? `.${count}` : ""}`;
  }
}

function recordOf({ runId: _, team: __, task: ___, suites, ...step }: Step): StepRecord {
  return { ...step, suites: suites.map(({ id }) => id) };
}

/** The first run that succeeds, or the last that failed. Rejects when none of them came to a result. */
async function firstSuccess<O>(runs: readonly Promise<StepResult<O>>[]): Promise<[number, StepResult<O>]> {
  const { promise, resolve } = Promise.withResolvers<[number, StepResult<O>] | null>();
  const ended = runs.map(async (run, index) => {
    const result = await run;
    if (result.ok) resolve([index, result]);
    return [index, result] as [number, StepResult<O>];
  });
  const all = Promise.allSettled(ended).then((settled) => {
    resolve(null);
    return settled;
  });
  const won = await promise;
  if (won) return won;
  const settled = await all;
  const failed = settled.findLast((result) => result.status === "fulfilled");
  if (failed) return failed.value;
  throw settled.find((result) => result.status === "rejected")?.reason;
}
