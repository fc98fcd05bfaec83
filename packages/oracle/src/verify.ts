import { createHash } from "node:crypto";
import type { FrozenSuite, JsonObject, OracleContext, Outcome, Verdict, VerifyInput } from "@swarm/core";
import { GIVEN, HIDDEN, TASK } from "./admission.ts";
import { type Candidate, cleanCandidate } from "./candidate.ts";
import { assess } from "./checks.ts";
import { type Judgement, judge } from "./judge.ts";
import { manifestOf } from "./manifest.ts";
import { runInRoom } from "./room.ts";
import type { RunnerAdapter, RunnerRun } from "./runners/adapter.ts";
import type { TaskTests } from "./settings.ts";

type Judged = { suite: FrozenSuite; run: RunnerRun; judgement: Judgement };

/** Decides on a candidate: runs each suite on its cleaned changes and, after a pass, on the unchanged starter. */
export async function decide(
  input: VerifyInput,
  { tests, timeoutMs, runners }: { tests: TaskTests | null; timeoutMs: number; runners: readonly RunnerAdapter[] },
  context: OracleContext,
): Promise<Verdict> {
  const { base, final, depth, suites: visible } = input;
  const onBase = { code: base, visible, timeoutMs, runners };
  const hidden = depth === "full" && tests?.hidden ? await hiddenSuite(tests.hidden) : null;
  const suites = hidden ? [...visible, hidden] : [...visible];
  const candidate = await cleanCandidate({ base, final, suites }, context);

  const judged = await judgeAll({ ...onBase, code: candidate.snapshot });
  const failed = judged.some(({ judgement }) => !judgement.passed);
  const passing = judged.length > 0 && !failed;
  const starter = passing && depth === "full" ? await judgeAll(onBase) : [];
  return verdictOf(input, { candidate, judged, starter, suites, tier: context.sandbox.tier, runners });

  async function judgeAll(ground: typeof onBase): Promise<Judged[]> {
    const done: Judged[] = [];
    for (const suite of suites) {
      const run = await runInRoom(suite, ground, context);
      done.push({ suite, run, judgement: judge(suite, run.report) });
    }
    return done;
  }

  async function hiddenSuite({ files, ...selection }: NonNullable<TaskTests["hidden"]>): Promise<FrozenSuite> {
    const snapshot = await context.sandbox.snapshots.put({ files });
    const suite: FrozenSuite = { id: HIDDEN, author: TASK, snapshot, ...selection, tests: selection.tests ?? [] };
    if (selection.tests) return suite;
    return { ...suite, tests: manifestOf((await runInRoom(suite, onBase, context)).report) };
  }
}

type Findings = {
  candidate: Candidate;
  judged: readonly Judged[];
  /** The same suites on the starter; empty when that was not looked at. */
  starter: readonly Judged[];
  suites: readonly FrozenSuite[];
  tier: string;
  runners: readonly RunnerAdapter[];
};

function verdictOf({ task, base, final, depth }: VerifyInput, findings: Findings): Verdict {
  const { candidate, judged, starter, suites, tier, runners } = findings;
  const oracle = suites.some(isGiven) || suites.length === 0 ? "given" : "generated";
  const checks = assess({ task, depth, suites, oracle, tier, runners });
  const outcome = outcomeOf(findings, checks.notMade.length === 0);
  const passed = outcome === "verified" || outcome === "passed";

  const reasons = judged.flatMap(({ judgement }) => [...judgement.reasons, ...judgement.remarks]);
  if (judged.length === 0) reasons.push("no test ran: there is no suite to judge by");
  if (outcome === "insensitive") reasons.push("the tests pass on the unchanged starter too, so they say nothing");
  if (onlyHiddenFailed(judged)) reasons.push("the visible tests pass and the hidden ones do not");
  if (passed) reasons.push(...checks.notMade.map(({ check, why }) => `${check}: not made (${why})`));

  return {
    passed,
    outcome,
    oracle,
    signals: {
      testsPassed: sum(judged.map(({ judgement }) => judgement.testsPassed)),
      testsFailed: sum(judged.map(({ judgement }) => judgement.testsFailed)),
    },
    reasons,
    tampering: [...candidate.tampering, ...forgeries(judged)],
    evidence: {
      depth,
      base,
      final,
      candidate: candidate.snapshot,
      tier,
      suites: judged.map(evidenceOf),
      starter: starter.map(({ suite, judgement }) => ({ id: suite.id, passed: judgement.passed })),
      checks,
    },
  };
}

function outcomeOf({ judged, starter }: Findings, complete: boolean): Outcome {
  if (forgeries(judged).length > 0) return "tampered";
  if (judged.length === 0 || judged.some(({ judgement }) => !judgement.passed)) return "failed";
  if (starter.length > 0 && starter.every(({ judgement }) => judgement.passed)) return "insensitive";
  return complete ? "verified" : "passed";
}

/** Interference with the judged run itself, which nothing can undo. */
function forgeries(judged: readonly Judged[]): JsonObject[] {
  return judged
    .filter(({ run }) => run.report.fault?.code === "REPORT_FORGED")
    .map(({ suite }) => ({ kind: "report-forged", suite: suite.id }));
}

function onlyHiddenFailed(judged: readonly Judged[]): boolean {
  const failed = judged.filter(({ judgement }) => !judgement.passed);
  return judged.length > 1 && failed.length === 1 && failed[0]?.suite.id === HIDDEN;
}

function isGiven({ id, author }: FrozenSuite): boolean {
  return author === TASK && (id === GIVEN || id === HIDDEN);
}

function evidenceOf({ suite, run, judgement }: Judged): JsonObject {
  const { id, author, runner, snapshot, entries, tests } = suite;
  const report = JSON.stringify(run.report);
  return {
    id,
    author,
    runner: { name: runner, version: run.version },
    command: run.command,
    snapshot,
    entries,
    required: tests.length,
    reported: run.report.tests.length,
    passed: judgement.testsPassed,
    failed: judgement.testsFailed,
    fault: run.report.fault?.code ?? null,
    reportSha256: createHash("sha256").update(report).digest("hex"),
  };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
