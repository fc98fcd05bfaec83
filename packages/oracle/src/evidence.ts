import {
  canonicalJson,
  type FrozenSuite,
  type JsonObject,
  type SnapshotId,
  sha256,
  type TestReport,
} from "@swarm/core";
import { type Assessment, withoutPlace } from "./checks.ts";
import type { RunnerRun } from "./runners/adapter.ts";

/** A suite that was run, and what came of it. */
export type RunFacts = {
  suite: FrozenSuite;
  run: RunnerRun;
  judgement: { testsPassed: number; testsFailed: number };
  canaries: number;
};

export type EvidenceFacts = {
  depth: string;
  base: SnapshotId;
  final: SnapshotId;
  /** What was judged: `final` without what a candidate may not bring. */
  candidate: SnapshotId;
  suites: readonly RunFacts[];
  examined: readonly JsonObject[];
  checks: Assessment;
  tier: string;
};

/**
 * What a verdict rests on. `sha256` is the same for whoever judges the same work with the same runner, as another user, in
 * another place and at another time: it is over the files, and of each suite the runner with its version, arguments and
 * variables and what it reported of each test. Where it was judged stands beside it: the isolation, the system, and what the
 * runners ran on.
 */
export function evidenceFrom({ examined, checks, tier, ...facts }: EvidenceFacts): JsonObject {
  const { depth, base, final, candidate } = facts;
  const suites = facts.suites.map(suiteEvidence);
  const work = { depth, base, final, candidate, suites };
  return {
    ...work,
    examined: [...examined],
    checks,
    sha256: hashOf({ ...work, checks: withoutPlace(checks) }),
    place: {
      tier,
      system: `${process.platform} ${process.arch}`,
      interpreters: Object.fromEntries(facts.suites.map(({ suite, run }) => [suite.id, run.interpreter])),
    },
  };
}

function suiteEvidence({ suite, run, judgement, canaries }: RunFacts): JsonObject {
  const { id, author, runner, snapshot, entries, tests } = suite;
  return {
    id,
    author,
    runner: { name: runner, version: run.version },
    command: run.command,
    env: run.env,
    snapshot,
    entries,
    required: tests.length,
    reported: run.report.tests.length,
    passed: judgement.testsPassed,
    failed: judgement.testsFailed,
    fault: run.report.fault?.code ?? null,
    canaries,
    reportSha256: hashOf(results(run.report)),
  };
}

/** What was reported of each test, without its words: those may tell the time, a name, or a path. */
function results({ tests }: TestReport): JsonObject[] {
  return tests.map(({ id, file, status, errorType, location }) => ({ id, file, status, errorType, location }));
}

function hashOf(value: unknown): string {
  return sha256(canonicalJson(value));
}
