import { type FrozenSuite, type JsonObject, messageOf, type TestReport, type Workspace } from "@swarm/core";
import { runSuite } from "./run-suite.ts";
import type { RunnerAdapter, RunnerOptions, RunnerRun } from "./runners/adapter.ts";
import { runnerOf } from "./runners/registry.ts";

/** Runs by how they were made, and warm ones that had to be made again, cold. */
export type WarmCounts = { cold: number; warm: number; mismatches: number; faults: number };

type Options = RunnerOptions & { notice?: ((note: JsonObject) => void) | undefined };

type Standing =
  | { is: "new"; runs: number }
  /** `ids` are those of the tests in the last run that both ways agreed on. */
  | { is: "trusted"; ids: string; runs: number }
  | { is: "distrusted" };

/** A suite that is run once gains nothing by a trial. */
const TRIAL_AT = 2;
/** Of so many warm runs one is made cold too. */
const CHECK_EVERY = 10;

/**
 * Runs suites warm where that is known to make no difference. Each suite earns it: by one cold and one warm run of the same files
 * with equal reports. A warm run with a fault, with other tests than before, and one in ten, is made again cold, and the cold
 * one counts; where they differ the suite stays cold from then on.
 */
export class WarmRuns {
  readonly counts: WarmCounts = { cold: 0, warm: 0, mismatches: 0, faults: 0 };
  readonly #standings = new Map<string, Standing>();
  readonly #runners: readonly RunnerAdapter[];
  /** Runners that a process was started ahead for, by workspace. */
  readonly #started = new WeakMap<Workspace, Set<string>>();

  constructor(runners: readonly RunnerAdapter[]) {
    this.#runners = runners;
  }

  async run(workspace: Workspace, suite: FrozenSuite, options: Options): Promise<RunnerRun> {
    const standing = this.#standingOf(suite);
    if (standing.is === "distrusted" || !workspace.startsAhead) return await this.#cold(workspace, suite, options);
    standing.runs += 1;
    if (standing.is === "trusted") return await this.#warm(workspace, suite, options, standing);
    if (standing.runs < TRIAL_AT) return await this.#cold(workspace, suite, options);
    return await this.#trial(workspace, suite, options);
  }

  /** The cold run counts. */
  async #trial(workspace: Workspace, suite: FrozenSuite, options: Options): Promise<RunnerRun> {
    const files = await workspace.snapshot();
    const cold = await this.#cold(workspace, suite, options, { ahead: true });
    if (cold.report.fault) return cold;
    await workspace.restore(files);
    const warm = await this.#attempt(workspace, suite, options);
    if (warm?.warm) this.#compare(suite, { warm, cold }, options);
    return cold;
  }

  async #warm(
    workspace: Workspace,
    suite: FrozenSuite,
    options: Options,
    { ids, runs }: Extract<Standing, { is: "trusted" }>,
  ): Promise<RunnerRun> {
    // A process that has its start before it takes longer than a cold run.
    const isReady = this.#started.get(workspace)?.has(suite.runner) === true;
    if (!isReady) return await this.#cold(workspace, suite, options, { ahead: true });
    const files = await workspace.snapshot();
    const warm = await this.#attempt(workspace, suite, options);
    const isAsEver = warm !== null && warm.report.fault === null && idsOf(warm.report) === ids;
    if (warm && (!warm.warm || (isAsEver && runs % CHECK_EVERY !== 0))) return warm;
    await workspace.restore(files);
    const cold = await this.#cold(workspace, suite, options);
    if (warm) this.#compare(suite, { warm, cold }, options);
    return cold;
  }

  async #cold(
    workspace: Workspace,
    suite: FrozenSuite,
    { signal, timeoutMs, loads = false }: Options,
    { ahead = false } = {},
  ): Promise<RunnerRun> {
    this.counts.cold += 1;
    if (ahead) this.#started.set(workspace, (this.#started.get(workspace) ?? new Set()).add(suite.runner));
    return await runSuite(workspace, suite, { signal, timeoutMs, loads, runners: this.#runners, ahead });
  }

  /** A warm run, if there is no reason against it; null when its means failed. */
  async #attempt(workspace: Workspace, suite: FrozenSuite, options: Options): Promise<RunnerRun | null> {
    const { signal, timeoutMs, loads = false } = options;
    try {
      const run = await runSuite(workspace, suite, {
        signal,
        timeoutMs,
        loads,
        runners: this.#runners,
        warm: true,
        ahead: true,
      });
      this.counts[run.warm ? "warm" : "cold"] += 1;
      return run;
    } catch (error) {
      if (signal.aborted) throw error;
      this.counts.faults += 1;
      this.#distrust(suite, `a warm run failed: ${messageOf(error)}`, options);
      return null;
    }
  }

  #compare(suite: FrozenSuite, { warm, cold }: Record<"warm" | "cold", RunnerRun>, options: Options): void {
    const difference = differenceIn(warm.report, cold.report);
    if (difference === null) {
      const ids = idsOf(cold.report);
      if (!cold.report.fault) this.#standings.set(keyOf(suite), { is: "trusted", ids, runs: 0 });
      return;
    }
    this.counts.mismatches += 1;
    this.#distrust(suite, `a warm run differed from a cold one of the same files in ${difference}`, options);
  }

  #distrust({ id, ...suite }: FrozenSuite, why: string, { notice }: Options): void {
    this.#standings.set(keyOf(suite), { is: "distrusted" });
    notice?.({ event: "tests_not_warm", suite: id, why });
  }

  #standingOf(suite: FrozenSuite): Standing {
    const key = keyOf(suite);
    const known = this.#standings.get(key);
    if (known) return known;
    const { canBeWarm } = runnerOf(this.#runners, suite.runner, "suite.runner");
    const standing: Standing = canBeWarm ? { is: "new", runs: 0 } : { is: "distrusted" };
    this.#standings.set(key, standing);
    return standing;
  }
}

/** Equal for suites with equal files. */
function keyOf({ runner, snapshot, entries }: Pick<FrozenSuite, "runner" | "snapshot" | "entries">): string {
  return JSON.stringify([runner, snapshot, entries]);
}

function idsOf({ tests }: TestReport): string {
  return JSON.stringify(tests.map(({ id }) => id));
}

/** What two reports do not have in common, or null. */
function differenceIn(one: TestReport, other: TestReport): string | null {
  if (one.fault?.code !== other.fault?.code) return `its fault: ${one.fault?.code} and ${other.fault?.code}`;
  if (idsOf(one) !== idsOf(other)) return "its tests";
  const index = one.tests.findIndex((test, index) => JSON.stringify(test) !== JSON.stringify(other.tests[index]));
  return index < 0 ? null : `the result of ${one.tests[index]?.id}`;
}
