import { basename, resolve } from "node:path";
import { sleep } from "../abort.ts";
import { systemClock } from "../clock.ts";
import type { Task } from "../contracts/task.ts";
import type { Trajectory } from "../contracts/trajectory.ts";
import { LocalExecutor } from "../engine/local-executor.ts";
import { requireRunOf, resumeRun } from "../engine/resume-run.ts";
import { modelsOf, type RunOptions } from "../engine/run-options.ts";
import { type Run, startRun } from "../engine/start-run.ts";
import {
  abortReason,
  InvalidInputError,
  LogError,
  messageOf,
  ProviderError,
  SandboxError,
  SwarmError,
} from "../errors.ts";
import { createGuard } from "../guard/create-guard.ts";
import { fileLogStore } from "../log/file-log-store.ts";
import { Ledger } from "../log/ledger.ts";
import { BatchLimits } from "./batch-limits.ts";
import { type BatchJournal, openJournal } from "./journal.ts";
import type { BatchEvent, BatchOptions, BatchProgress, BatchRunOptions, BatchTask } from "./options.ts";
import { type BatchRow, lostSoFar, type RowId, rowOf, rowWithout } from "./row.ts";
import { runIdOf } from "./run-id.ts";
import { type BatchReport, BatchTally } from "./tally.ts";

type Planned = BatchTask & { repetition: number };

/** A batch from the first run to the last: who drains it, what is taken next, and what becomes of a run. */
export class BatchWork {
  readonly #options: BatchOptions;
  readonly #tell: (event: BatchEvent) => void;
  readonly #tally = new BatchTally();
  readonly #abort = new AbortController();
  /** No run begins any more. Also aborted when all runs are. */
  readonly #drain = new AbortController();
  readonly #limits: BatchLimits;
  /** US dollars of runs that the crash of an earlier life cut off, so that they have no row yet. */
  readonly #cutOff = new Map<string, number>();
  #running = 0;

  constructor(options: BatchOptions, tell: (event: BatchEvent) => void) {
    this.#options = options;
    this.#tell = tell;
    this.#limits = new BatchLimits(options, options.run.clock ?? systemClock);
  }

  progress(): BatchProgress {
    return { running: this.#running, ...this.#tally.progress() };
  }

  drain(reason: string): void {
    if (this.#drain.signal.aborted) return;
    this.#drain.abort(new SwarmError("ABORTED", reason));
    this.#tell({ type: "draining", reason });
  }

  abort(reason: Error): void {
    this.drain(reason.message);
    this.#abort.abort(reason);
  }

  async run(tasks: Iterable<BatchTask> | AsyncIterable<BatchTask>): Promise<BatchReport> {
    const { folder, plan = {}, resume = false, repeat = 1, concurrency = 2, signal, run } = this.#options;
    const startedAt = new Date((run.clock ?? systemClock).now()).toISOString();
    let beyond: BatchRow | undefined;
    const inRows = new Set<string>();
    const onRow = (row: BatchRow) => {
      if (row.repetition > repeat) beyond ??= row;
      for (const runId of runsOf(row, basename(resolve(folder)))) inRows.add(runId);
      this.#tally.add(row);
    };
    const journal = await openJournal(folder, { plan, resume, startedAt, onRow });
    const { batchId } = journal.header;
    this.#limits.budget.spend(this.#tally.knownUsd());
    const guard = run.guard ?? createGuard(run.clock ? { clock: run.clock } : {});
    const onAbort = () => this.abort(abortReason(signal!));
    if (signal?.aborted) onAbort();
    signal?.addEventListener("abort", onAbort, { once: true });
    try {
      if (beyond) throw fewer(repeat, beyond);
      if (resume && this.#options.usd !== undefined) await this.#countCutOff(batchId, inRows);
      this.#tell({ type: "opened", batchId });
      const planned = this.#planned(tasks);
      const workers = Array.from({ length: concurrency }, () => this.#work(planned, journal, { ...run, guard }));
      const failed = (await Promise.allSettled(workers)).find(({ status }) => status === "rejected");
      if (failed?.status === "rejected") throw failed.reason;
      return this.#tally.report(batchId);
    } finally {
      signal?.removeEventListener("abort", onAbort);
      journal.close();
      if (!run.guard) guard.dispose();
    }
  }

  /** What a run without a row has spent counts before any run goes on: its own turn may come late, or not at all. */
  async #countCutOff(batchId: string, inRows: ReadonlySet<string>): Promise<void> {
    const { store = fileLogStore() } = this.#options.run;
    for (const runId of await store.runIds()) {
      if (!runId.startsWith(`${batchId}.`) || inRows.has(runId)) continue;
      try {
        const { header, events } = await store.read(runId);
        const ledger = new Ledger(header.prices);
        for (const event of events) ledger.apply(event);
        this.#cutOff.set(runId, ledger.dollars().charged);
      } catch (error) {
        if (!isUnreadable(error)) throw error; // of one that is, nothing is known; it is refused when its turn comes
      }
    }
    this.#limits.budget.spend([...this.#cutOff.values()].reduce((sum, usd) => sum + usd, 0));
  }

  /** Each run that has no end yet, task by task. */
  async *#planned(tasks: Iterable<BatchTask> | AsyncIterable<BatchTask>): AsyncGenerator<Planned> {
    const { repeat = 1 } = this.#options;
    const seen = new Set<string>();
    for await (const one of tasks) {
      const { id } = one.task;
      if (seen.has(id)) throw new InvalidInputError("tasks", `two of them have the id ${id}; each needs its own`);
      seen.add(id);
      for (let repetition = 1; repetition <= repeat; repetition++) {
        if (!this.#tally.isSettled({ taskId: id, repetition })) yield { ...one, repetition };
      }
    }
  }

  async #work(planned: AsyncGenerator<Planned>, journal: BatchJournal, shared: Partial<BatchRunOptions>) {
    try {
      while (!this.#mayNotBegin()) {
        const { value, done } = await planned.next();
        if (done || this.#mayNotBegin()) break;
        const row = await this.#untilSettled(value, journal.header.batchId, { ...shared, ...value.run });
        journal.append(row);
        this.#tally.add(row);
        this.#tell({ type: "finished", row });
      }
      await planned.return(undefined);
    } catch (error) {
      this.drain(messageOf(error));
      throw error;
    }
  }

  #mayNotBegin(): boolean {
    if (this.#limits.budget.isSpent) this.drain(this.#spent);
    return this.#drain.signal.aborted;
  }

  /**
   * A run, made again while the machinery fails it and retries are left. It keeps its place while it waits, so that an outage
   * does not burn through the tasks.
   */
  async #untilSettled(planned: Planned, batchId: string, options: Partial<BatchRunOptions>): Promise<BatchRow> {
    const { infrastructureRetries = 3, retryWaitMs = 15_000 } = this.#options;
    const { task, repetition } = planned;
    let row = this.#tally.unsettled({ taskId: task.id, repetition });
    for (let retry = 0; ; retry++) {
      const lost = lostSoFar(row);
      const runId = runIdOf(batchId, task.id, repetition, lost.runs);
      row = await this.#once(task, { taskId: task.id, repetition, runId, lost }, options);
      if (row.outcome !== "infra-error" || retry >= infrastructureRetries || this.#mayNotBegin()) return row;
      const waitMs = retryWaitMs * 2 ** retry;
      this.#tell({ type: "retrying", row, waitMs });
      await sleep(waitMs, this.#drain.signal, options.clock ?? systemClock).catch(() => {});
      if (this.#mayNotBegin()) return row;
    }
  }

  async #once(task: Task, id: RowId, options: Partial<BatchRunOptions>): Promise<BatchRow> {
    const { runId, taskId, repetition } = id;
    this.#running += 1;
    this.#tell({ type: "started", runId, taskId, repetition });
    try {
      return rowOf(id, await this.#trajectory(task, id, options));
    } catch (error) {
      if (this.#abort.signal.aborted) return rowWithout(id, "aborted", messageOf(error));
      if (error instanceof InvalidInputError || isUnreadable(error)) return rowWithout(id, null, messageOf(error));
      if (error instanceof SandboxError || error instanceof ProviderError)
        return rowWithout(id, "infra-error", messageOf(error));
      throw error;
    } finally {
      this.#running -= 1;
    }
  }

  async #trajectory(task: Task, { runId, ...name }: RowId, options: Partial<BatchRunOptions>): Promise<Trajectory> {
    const given = { ...(options as BatchRunOptions), signal: this.#abort.signal };
    if (this.#options.usd !== undefined) refuseUnpriced(given);
    const row = this.#tally.unsettled(name);
    const before = row?.runId === runId ? (row.usd ?? 0) : (this.#cutOff.get(runId) ?? 0);
    try {
      return await this.#limited((limited) => startRun(task, { ...limited, runId }), given, before);
    } catch (error) {
      const isThere = error instanceof LogError && error.code === "LOG_EXISTS";
      if (!isThere || !this.#options.resume) throw error;
      await requireRunOf(task, runId, given);
      return await this.#limited((limited) => resumeRun(runId, limited), given, before);
    }
  }

  /** A run behind the limits of the batch, charged for what its log tells. `before` is counted already. */
  async #limited(begin: (options: RunOptions) => Run, given: RunOptions, before: number): Promise<Trajectory> {
    const { budget } = this.#limits;
    const prices = Object.fromEntries(modelsIn(given).map(({ id, price }) => [id, price]));
    const account = budget.open(prices, before);
    const onSpent = () => {
      this.drain(this.#spent);
      run.abort(this.#spent);
    };
    const executor = this.#limits.before(given.executor ?? new LocalExecutor(), { prices, onSpent });
    const run = begin({ ...given, executor });
    run.on("event", (event) => budget.apply(account, event));
    try {
      return await run.result;
    } finally {
      budget.close(account);
    }
  }

  get #spent(): string {
    return `the budget of $${this.#options.usd} is spent`;
  }
}

/** The ids of a row's run and of those before it that the machinery failed, whose cost is in the row. */
function runsOf({ taskId, repetition, lost }: BatchRow, batchId: string): string[] {
  return Array.from({ length: lost.runs + 1 }, (_, nth) => runIdOf(batchId, taskId, repetition, nth));
}

/** A log that a run cannot go on from, which says nothing of other runs. */
function isUnreadable(error: unknown): boolean {
  return error instanceof LogError && ["LOG_DAMAGED", "LOG_SCHEMA", "LOG_BUSY"].includes(error.code);
}

function fewer(repeat: number, { taskId, repetition }: BatchRow): InvalidInputError {
  return new InvalidInputError("repeat", `is ${repeat}, and the batch has run ${repetition} of ${taskId} already`);
}

/** As a run refuses its own limit in dollars. */
function refuseUnpriced(given: Pick<RunOptions, "team" | "allowUnpriced">): void {
  if (given.allowUnpriced) return;
  const unpriced = modelsIn(given).filter(({ price }) => price === null);
  if (unpriced.length === 0) return;
  const ids = unpriced.map(({ id }) => id).join(", ");
  throw new InvalidInputError("usd", `no price is known of ${ids}: give it, or set allowUnpriced`);
}

/** A team that is missing is refused by the run. */
function modelsIn({ team }: { team?: RunOptions["team"] }) {
  return team === undefined ? [] : modelsOf(team);
}
