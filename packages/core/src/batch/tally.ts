import type { Outcome } from "../contracts/verdict.ts";
import { faultClassOf } from "../log/signature.ts";
import { type Rate, rateOf } from "./interval.ts";
import { type BatchRow, isSettled, sumOf } from "./row.ts";

/** One kind of failure: how many attempts failed so, and how many of them belong to runs that passed in the end. */
export type FailureCount = { count: number; recovered: number };
export type SignatureCount = FailureCount & {
  signature: string;
  faultClass: string;
  /** The first tasks that failed so. */
  tasks: string[];
};

/** What came of a batch. */
export type BatchReport = {
  batchId: string;
  /** Runs that came to an end which tells of the work. Those below that did not are not among them. */
  settled: number;
  passed: number;
  /** Of the settled runs; null while there are none. */
  passRate: Rate | null;
  outcomes: Partial<Record<Outcome, number>>;
  /** Tasks of which at least one run passed. */
  solvedTasks: number;
  /** Runs that passed after an attempt that failed. */
  recovered: number;
  /** Runs without a settled end: the machinery failed them, they were refused, or cut off. */
  unsettled: { infrastructure: number; refused: number; aborted: number };
  /** Runs that the machinery failed and that were made again. */
  retried: number;
  modelCalls: number;
  tokens: number;
  /** US dollars of all runs; null where a model has no price. */
  usd: number | null;
  /** All that the batch cost, by the tasks that it solved; null where either is nothing or not known. */
  usdPerSolvedTask: number | null;
  /** Milliseconds of all settled runs, one after the other. */
  runMs: number;
  /** Coarser than signatures: by type of error. The most frequent first. */
  faultClasses: (FailureCount & { faultClass: string; signatures: number })[];
  /** The most frequent first. */
  failures: SignatureCount[];
};

const MOST_TASKS = 5;

type Spent = { retried: number; modelCalls: number; tokens: number; usd: number | null; knownUsd: number };
const NOTHING: Spent = { retried: 0, modelCalls: 0, tokens: 0, usd: 0, knownUsd: 0 };

/** A fold over the rows of a batch, in memory that grows with tasks and kinds of failures alone. */
export class BatchTally {
  readonly #settled = new Map<string, boolean>();
  readonly #unsettled = new Map<string, BatchRow>();
  readonly #solved = new Set<string>();
  readonly #outcomes: Partial<Record<Outcome, number>> = {};
  readonly #signatures = new Map<string, Omit<SignatureCount, "signature" | "faultClass">>();
  readonly #sums = { passed: 0, recovered: 0, runMs: 0, ...NOTHING };

  /** The last row of a run stands. */
  add(row: BatchRow): void {
    const name = nameOf(row);
    if (!isSettled(row)) {
      this.#unsettled.set(name, row);
      return;
    }
    this.#unsettled.delete(name);
    this.#settled.set(name, row.passed);
    this.#outcomes[row.outcome!] = (this.#outcomes[row.outcome!] ?? 0) + 1;
    this.#sums.runMs += row.elapsedMs;
    if (row.passed) {
      this.#sums.passed += 1;
      this.#solved.add(row.taskId);
      if (row.failures.length > 0) this.#sums.recovered += 1;
    }
    for (const signature of row.failures) this.#count(signature, row);
    charge(this.#sums, row);
  }

  isSettled(run: RunName): boolean {
    return this.#settled.has(nameOf(run));
  }

  /** The last row of a run that has no settled end. */
  unsettled(run: RunName): BatchRow | undefined {
    return this.#unsettled.get(nameOf(run));
  }

  /** The figures of a progress view: cheap, unlike a report. */
  progress(): { settled: number; unsettled: number; passed: number; usd: number | null } {
    const { usd } = this.#spent();
    return { settled: this.#settled.size, unsettled: this.#unsettled.size, passed: this.#sums.passed, usd };
  }

  /** What is known to be spent: less than all where a model has no price. */
  knownUsd(): number {
    return this.#spent().knownUsd;
  }

  report(batchId: string): BatchReport {
    const { passed, recovered, runMs } = this.#sums;
    const { usd, retried, modelCalls, tokens } = this.#spent();
    const left = [...this.#unsettled.values()];
    const failures = [...this.#signatures]
      .map(([signature, counts]) => ({ signature, faultClass: faultClassOf(signature), ...counts }))
      .sort(byCount(({ signature }) => signature));
    return {
      batchId,
      settled: this.#settled.size,
      passed,
      passRate: rateOf(passed, this.#settled.size),
      outcomes: { ...this.#outcomes },
      solvedTasks: this.#solved.size,
      recovered,
      unsettled: {
        infrastructure: left.filter(({ outcome }) => outcome === "infra-error").length,
        refused: left.filter(({ outcome }) => outcome === null).length,
        aborted: left.filter(({ outcome }) => outcome === "aborted").length,
      },
      retried,
      modelCalls,
      tokens,
      usd,
      usdPerSolvedTask: usd === null || this.#solved.size === 0 ? null : usd / this.#solved.size,
      runMs,
      faultClasses: classesOf(failures),
      failures,
    };
  }

  #count(signature: string, { taskId, passed }: BatchRow): void {
    const counts = this.#signatures.get(signature) ?? { count: 0, recovered: 0, tasks: [] };
    counts.count += 1;
    if (passed) counts.recovered += 1;
    if (counts.tasks.length < MOST_TASKS && !counts.tasks.includes(taskId)) counts.tasks.push(taskId);
    this.#signatures.set(signature, counts);
  }

  /** With what the runs without a settled end took: they were paid for too. */
  #spent(): Spent {
    const sums: Spent = { ...this.#sums };
    for (const row of this.#unsettled.values()) charge(sums, row);
    return sums;
  }
}

function charge(sums: Spent, { lost, modelCalls, tokens, usd }: BatchRow): void {
  sums.retried += lost.runs;
  sums.modelCalls += modelCalls;
  sums.tokens += tokens;
  sums.usd = sumOf(sums.usd, sumOf(usd, lost.usd));
  sums.knownUsd += (usd ?? 0) + (lost.usd ?? 0);
}

type RunName = Pick<BatchRow, "taskId" | "repetition">;

function nameOf({ taskId, repetition }: RunName): string {
  return `${taskId} ${repetition}`;
}

function classesOf(failures: readonly SignatureCount[]): BatchReport["faultClasses"] {
  return [...Map.groupBy(failures, ({ faultClass }) => faultClass)]
    .map(([faultClass, of]) => ({
      faultClass,
      signatures: of.length,
      count: of.reduce((sum, { count }) => sum + count, 0),
      recovered: of.reduce((sum, { recovered }) => sum + recovered, 0),
    }))
    .sort(byCount(({ faultClass }) => faultClass));
}

/** The most frequent first; equal ones by name, so that two reports of one batch are the same. */
function byCount<T extends { count: number }>(name: (item: T) => string): (a: T, b: T) => number {
  return (a, b) => b.count - a.count || (name(a) < name(b) ? -1 : 1);
}
