import { checkInput } from "../check-input.ts";
import type { StepRecord } from "../contracts/event.ts";
import type { Executor, Site, StepHost } from "../contracts/executor.ts";
import type { Fault } from "../contracts/fault.ts";
import type { SnapshotId } from "../contracts/files.ts";
import { type Json, type JsonObject, JsonObjectSchema } from "../contracts/json.ts";
import type { Oracle } from "../contracts/oracle.ts";
import type { FilesView, StepProgram } from "../contracts/program.ts";
import { type Advice, type Step, type StepResult, StepResultSchema, type Variant } from "../contracts/step.ts";
import { type Admission, type FrozenSuite, FrozenSuiteSchema, type Suite, SuiteSchema } from "../contracts/suite.ts";
import type { Task, TaskView } from "../contracts/task.ts";
import { type RunContext, type StepOptions, StepOptionsSchema } from "../contracts/team.ts";
import type { Verdict } from "../contracts/verdict.ts";
import { abortReason, InvalidInputError, MergeConflictError, RefusedError } from "../errors.ts";
import { toJson } from "../json-value.ts";
import type { Journal } from "../log/journal.ts";
import type { RaceEnd, Winners } from "../log/races.ts";
import { signatureOf } from "../log/signature.ts";
import { type Redact, redactJson } from "../redact.ts";
import { CallGate } from "./call-gate.ts";
import { checkVariant } from "./check-variant.ts";
import { faultOfError } from "./fault-of-error.ts";
import { firstSuccess } from "./first-success.ts";
import { LaneLog } from "./lane-log.ts";
import { selectSuites } from "./select-suites.ts";

/** What a message calls a suite that was given whole. */
const FROZEN = "suite of run.freeze";
export const DEFAULT_STEP_TIMEOUT_MS = 20 * 60_000;

/** What all lanes of a run share. */
export type RunParts = {
  task: Task;
  site: Site;
  oracle: Oracle;
  executor: Executor;
  journal: Journal;
  secrets: readonly string[];
  /** Told of the gate of each lane, so that a workflow that goes on after a refusal can be left behind. */
  watch(gate: CallGate): void;
  /** Winners of races that were decided in an earlier life of the run, or in the run that is replayed. */
  winners: Winners;
};
type Start = {
  path: string;
  snapshot: SnapshotId;
  suites: readonly FrozenSuite[];
  signal: AbortSignal;
  /** Aborts the lane's steps and forks, where that is not its own signal. */
  work?: AbortSignal;
};

/**
 * One line of work of a workflow: the root, a branch of `all` or a variant of `race`. It writes its own events under its
 * path, and what its log holds already is given from there.
 */
export class Lane implements RunContext {
  readonly #run: RunParts;
  readonly #path: string;
  readonly #work: AbortSignal;
  readonly #gate = new CallGate("await each before the next, or use run.all or run.race");
  readonly #names = new Map<string, number>();
  readonly #suites: FrozenSuite[];
  readonly #log: LaneLog;
  #snapshot: SnapshotId;
  /** Of the last step, where it failed. */
  #lastFault: Fault | null = null;

  constructor(run: RunParts, { path, snapshot, suites, signal, work = signal }: Start) {
    this.#run = run;
    this.#path = path;
    this.#snapshot = snapshot;
    this.#suites = [...suites];
    this.#work = work;
    this.#log = new LaneLog(run.journal, path, { signal, gate: this.#gate, redact: run.site.redact });
    run.watch(this.#gate);
  }

  get task(): TaskView {
    return this.#run.journal.header.task;
  }
  get #redact(): Redact {
    return this.#run.site.redact;
  }
  get snapshot() {
    return this.#snapshot;
  }
  get suites(): readonly FrozenSuite[] {
    return this.#suites;
  }
  get files(): FilesView {
    const { snapshots } = this.#run.site.sandbox;
    return {
      list: () => snapshots.list(this.#snapshot),
      read: (path) => snapshots.read(this.#snapshot, path),
      changes: () => snapshots.diff(this.#run.journal.header.base, this.#snapshot),
    };
  }

  step<I extends Json, O extends Json>(
    program: StepProgram<I, O>,
    input: I,
    options: StepOptions = {},
  ): Promise<StepResult<O>> {
    return this.#gate.run(async () => {
      const step = this.#order(program, input, options);
      await this.#log.put("checkpoint", null, { type: "step", step: recordOf(step) });
      const key = this.#log.key();
      const recorded = this.#log.recorded(key);
      if (recorded?.type === "result") return this.#advance(recorded.result) as StepResult<O>;
      const result = this.#checked(await this.#perform(step));
      await this.#log.put("checkpoint", null, { type: "result", result }, key);
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
      if (variants.length === 0) throw new InvalidInputError("variants", "a race needs at least one");
      for (const [index, variant] of variants.entries())
        checkVariant(variant, this.#run.site.team, `variants[${index}]`);
      const race = this.#name(`race-${program.name}`);
      const key = this.#log.key();
      const winner = this.#run.winners.get(race);
      const lost = new RefusedError("ABORTED", "lost its race");
      const losers = new AbortController();
      const runs = variants.map((variant, index) => {
        if (winner !== undefined && winner !== index) return Promise.reject(lost);
        const lane = this.#fork(`${race}/${index}`, AbortSignal.any([this.#work, losers.signal]));
        return lane.step(program, input, { ...options, variant }).catch((error) => lane.#dropOut(error));
      });
      const [index, result] = await firstSuccess(runs)
        .catch((error) => this.#end(error))
        .finally(() => {
          losers.abort(lost);
          return Promise.allSettled(runs);
        });
      // of those that the abort cut off one might have come in
      if (!result.ok && winner === undefined && this.#work.aborted) throw this.#gate.close(abortReason(this.#work));
      const detail: RaceEnd = { race, winner: index, ok: result.ok };
      await this.#log.put("recovery", null, { type: "recovered", how: "winner", detail }, key);
      return this.#advance(result) as StepResult<O>;
    });
  }

  all<R extends Json>(branches: Record<string, (run: RunContext) => Promise<R>>): Promise<Record<string, R>> {
    return this.#gate.run(async () => {
      const path = this.#name("all");
      const lanes = Object.entries(branches).map(([name, branch]) => ({
        name,
        branch,
        lane: this.#fork(`${path}/${name}`),
      }));
      const settled = await Promise.allSettled(lanes.map(({ branch, lane }) => branch(lane)));
      const failed = settled.find((result) => result.status === "rejected");
      if (failed) throw failed.reason;
      const forks = lanes.map(({ lane }) => lane.#snapshot);
      const { snapshot, conflicts } = await this.#run.site.sandbox.snapshots.merge(this.#snapshot, forks);
      if (conflicts.length > 0) throw new MergeConflictError(conflicts);
      const detail = { snapshot, lanes: lanes.map(({ name }) => name) };
      await this.#log.put("recovery", null, { type: "recovered", how: "merged", detail });
      this.#snapshot = snapshot;
      this.#lastFault = lanes.map(({ lane }) => lane.#lastFault).find((fault) => fault?.infrastructure) ?? null;
      for (const suite of lanes.flatMap(({ lane }) => lane.#suites)) this.#adopt(suite);
      return Object.fromEntries(
        lanes.map(({ name }, index) => [name, (settled[index] as PromiseFulfilledResult<R>).value]),
      );
    });
  }

  admit(suite: Suite): Promise<Admission> {
    return this.#gate.run(() => this.#admit("admit", suite));
  }

  freeze(suite: Suite | FrozenSuite): Promise<Admission> {
    return this.#gate.run(async () => {
      const admission: Admission =
        "files" in suite
          ? await this.#admit("freeze", suite)
          : { ok: true, output: checkInput(FrozenSuiteSchema, suite, { root: FROZEN, prefix: FROZEN }) };
      if (!admission.ok) return admission;
      this.#adopt(admission.output);
      await this.#log.put("checkpoint", null, { type: "frozen", suite: admission.output });
      return admission;
    });
  }

  check(suites: readonly string[]): Promise<Verdict> {
    return this.#gate.run(async () => this.#judge("check", "check", selectSuites(this.#suites, suites)));
  }

  note(agent: string, note: JsonObject): Promise<void> {
    return this.#gate.run(() => {
      const checked = checkInput(JsonObjectSchema, toJson(note), { root: "note" });
      return this.#log.put("agent", agent, { type: "note", note: redactJson(checked, this.#redact) });
    });
  }

  /** The engine's own: the suites that the task brings, before the workflow begins. */
  prepare(): Promise<void> {
    return this.#gate.run(async () => {
      const { oracle, journal, task, site } = this.#run;
      const input = { task, base: journal.header.base };
      const suites = await this.#log.call<FrozenSuite[]>("prepare", this.#snapshot, (signal) =>
        oracle.prepare(input, { sandbox: site.sandbox, signal }),
      );
      this.#suites.push(...suites);
    });
  }

  /** The engine's own: the workflow's report, and the verdict that ends the run. */
  conclude(report: Json): Promise<void> {
    return this.#gate.run(async () => {
      await this.#log.put("checkpoint", null, {
        type: "note",
        note: { report: redactJson(toJson(report), this.#redact) },
      });
      const verdict = await this.#judge("verify", "full", this.#suites);
      await this.#log.put("verdict", null, { type: "verdict", verdict: excused(verdict, this.#lastFault) });
    });
  }

  #order<I extends Json, O extends Json>(program: StepProgram<I, O>, input: I, options: StepOptions): Step {
    const { team } = this.#run.site;
    const ofInput = `input of ${program.name}`;
    const ofOptions = `options of ${program.name}`;
    const checked = checkInput(program.input, input, { root: ofInput, prefix: ofInput });
    const {
      maxRetries = 0,
      timeoutMs = DEFAULT_STEP_TIMEOUT_MS,
      variant,
    } = checkInput(StepOptionsSchema, options, {
      root: ofOptions,
      prefix: ofOptions,
    });
    checkVariant(variant, team, `${ofOptions}.variant`);
    const stepId = this.#name(program.name);
    const advice = this.#adviceFor(stepId);
    return {
      runId: this.#run.journal.header.runId,
      stepId,
      team: { name: team.name, version: team.version, config: team.config },
      program: program.name,
      input: toJson(checked),
      task: this.task,
      snapshot: this.#snapshot,
      suites: [...this.#suites],
      maxRetries,
      timeoutMs,
      ...(variant ? { variant } : {}),
      ...(advice.length > 0 ? { advice } : {}),
    };
  }

  /** What the run was forked with, from where the past of the step ends. */
  #adviceFor(stepId: string): Advice[] {
    const { journal } = this.#run;
    const hints = journal.header.parent?.hints ?? [];
    return hints.map(({ text, from }) => ({ text, after: journal.lastKey(stepId, from) }));
  }

  async #perform(step: Step): Promise<StepResult> {
    try {
      return await this.#run.executor.runStep(step, this.#host());
    } catch (error) {
      return this.#end(error);
    }
  }

  /** After a refusal the lane makes no more calls, whatever its workflow makes of it. */
  #end(error: unknown): never {
    throw error instanceof RefusedError ? this.#gate.close(error) : error;
  }

  /** What an executor gave back, as the log can hold it. */
  #checked(result: StepResult): StepResult {
    return redactJson(checkInput(StepResultSchema, toJson(result), { root: "result of the executor" }), this.#redact);
  }

  #advance(result: StepResult): StepResult {
    if (result.ok) this.#snapshot = result.snapshot;
    this.#lastFault = result.ok ? null : result.fault;
    return result;
  }

  #adopt(suite: FrozenSuite): void {
    if (!this.#suites.some(({ id }) => id === suite.id)) this.#suites.push(suite);
  }

  /** A branch of a race that ends without a result: why stands in the log, since another one may win. */
  async #dropOut(error: unknown): Promise<never> {
    if (!(error instanceof RefusedError && error.code === "ABORTED")) {
      const fault = faultOfError(error);
      const signature = signatureOf(fault, this.#run.site.team.name);
      await this.#log.put("failure", null, { type: "fault", of: null, fault, signature }, null);
    }
    throw error;
  }

  async #admit(name: "admit" | "freeze", given: Suite): Promise<Admission> {
    const { oracle, journal, site } = this.#run;
    const ofSuite = `suite of run.${name}`;
    const suite = checkInput(SuiteSchema, given, { root: ofSuite, prefix: ofSuite });
    return await this.#log.call<Admission>(`${name} ${suite.id}`, this.#snapshot, (signal) =>
      oracle.admit(suite, journal.header.base, { sandbox: site.sandbox, signal }),
    );
  }

  #fork(path: string, signal = this.#work): Lane {
    return new Lane(this.#run, { path, snapshot: this.#snapshot, suites: this.#suites, signal });
  }

  #host(): StepHost {
    const { journal, site, secrets } = this.#run;
    return {
      signal: this.#work,
      secrets,
      claim: async (stepId) => journal.claim(stepId),
      append: (epoch, events) => journal.append(events, this.#work, epoch),
      site: async () => site,
    };
  }

  #judge(name: string, depth: "check" | "full", suites: readonly FrozenSuite[]): Promise<Verdict> {
    const { oracle, journal, task, site } = this.#run;
    const input = { task, base: journal.header.base, final: this.#snapshot, suites, depth };
    return this.#log.call<Verdict>(name, this.#snapshot, (signal) =>
      oracle.verify(input, { sandbox: site.sandbox, signal }),
    );
  }

  /** Names repeat as `implement`, `implement.2`, … */
  #name(program: string): string {
    const count = (this.#names.get(program) ?? 0) + 1;
    this.#names.set(program, count);
    return `${this.#path}/${program}${count > 1 ? `.${count}` : ""}`;
  }
}

/** A run whose last step failed by the machinery says nothing about the work, whatever the tests say of what is there. */
function excused(verdict: Verdict, fault: Fault | null): Verdict {
  if (verdict.passed || verdict.outcome !== "failed" || !fault?.infrastructure) return verdict;
  const reason = `the last step was ended by the machinery, not by the work: ${fault.message} (${fault.code})`;
  return { ...verdict, outcome: "infra-error", reasons: [reason, ...verdict.reasons] };
}

function recordOf({ runId: _, team: __, task: ___, advice: ____, suites, ...step }: Step): StepRecord {
  return { ...step, suites: suites.map(({ id }) => id) };
}
