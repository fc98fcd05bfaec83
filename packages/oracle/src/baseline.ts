import type { FrozenSuite, OracleContext, SnapshotId, TestReport } from "@swarm/core";
import { makeVariants } from "./integrity/make-variants.ts";
import type { SuiteVariants } from "./integrity/variants.ts";
import { judge } from "./judge.ts";
import { manifestOf } from "./manifest.ts";
import { type Ground, runInRoom } from "./room.ts";
import { runnerOf } from "./runners/registry.ts";

/** What a suite says about the unchanged starter. */
export type Baseline = {
  /** Whether the starter passes: then the suite says nothing about work on it. */
  passed: boolean;
  /** Ids of the tests that the suite has, and that its author does not expect to be skipped or to fail. */
  manifest: string[];
  /** Ids of tests that came out differently in two runs on the same files: they decide nothing. */
  flaky: string[];
};

/** What is found out about tasks and suites: each once for the same files, suite and tier. */
export class Baselines {
  readonly #known = new Map<string, Baseline>();
  readonly #variants = new Map<SnapshotId, SuiteVariants>();

  async variantsOf(suite: FrozenSuite, context: OracleContext): Promise<SuiteVariants> {
    const variants = this.#variants.get(suite.snapshot) ?? (await makeVariants(suite, context));
    this.#variants.set(suite.snapshot, variants);
    return variants;
  }

  async of(suite: FrozenSuite, ground: Ground, context: OracleContext): Promise<Baseline> {
    const { snapshot, entries, runner, tests } = suite;
    const visible = ground.visible.map((other) => other.snapshot);
    const { tier } = context.sandbox;
    const key = JSON.stringify([ground.code, visible, snapshot, entries, runner, tests, ground.timeoutMs, tier]);
    const known = this.#known.get(key) ?? (await makeBaseline(suite, ground, context));
    this.#known.set(key, known);
    return known;
  }
}

async function makeBaseline(suite: FrozenSuite, ground: Ground, context: OracleContext): Promise<Baseline> {
  const [first, second] = await Promise.all([runInRoom(suite, ground, context), runInRoom(suite, ground, context)]);
  const hangs = [first, second].some(({ report }) => isTooLong(report));
  // how far two runs came until their time was over is no difference of a test
  const flaky = hangs ? [] : differing(first.report.tests, second.report.tests);
  const manifest = await manifestFrom(first.report, { suite, ground, context });
  return {
    passed: judge(suite, first.report).passed && judge(suite, second.report).passed,
    manifest: manifest.filter((id) => !flaky.includes(id)),
    flaky,
  };
}

/**
 * The manifest from a run on the starter. One that hangs keeps most tests from being reported, so it is run once more, and each
 * test is ended after its share of the time, where the runner can do that.
 */
export async function manifestFrom(
  report: TestReport,
  { suite, ground, context }: { suite: FrozenSuite; ground: Ground; context: OracleContext },
): Promise<string[]> {
  const { canShareTime = false } = runnerOf(ground.runners, suite.runner, "suite.runner");
  if (!isTooLong(report) || !canShareTime) return manifestOf(report);
  return manifestOf((await runInRoom(suite, ground, context, { shareTime: true })).report);
}

function isTooLong({ fault }: TestReport): boolean {
  return fault?.code === "TIMED_OUT";
}

type Result = { id: string; status: string };

/** Ids of the tests that two runs report differently, or only one of them reports. */
export function differing(first: readonly Result[], second: readonly Result[]): string[] {
  const [a, b] = [first, second].map((results) => new Map(results.map(({ id, status }) => [id, status])));
  const ids = new Set([...(a?.keys() ?? []), ...(b?.keys() ?? [])]);
  return [...ids].filter((id) => a?.get(id) !== b?.get(id)).sort();
}
