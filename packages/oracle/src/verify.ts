import {
  asJson,
  type FrozenSuite,
  type JsonObject,
  type OracleContext,
  type Outcome,
  type Verdict,
  type VerifyInput,
} from "@swarm/core";
import { type Baselines, differing as differingTests } from "./baseline.ts";
import { type Candidate, cleanCandidate } from "./candidate.ts";
import { assess } from "./checks.ts";
import { evidenceFrom } from "./evidence.ts";
import { blinded } from "./integrity/blind-run.ts";
import { takeCanaries, withCanaries } from "./integrity/canaries.ts";
import { passesItsOwnWay } from "./integrity/own-judge.ts";
import { runTwins, type TwinFindings } from "./integrity/twin.ts";
import { type Judgement, judge } from "./judge.ts";
import { type Ground, runInRoom } from "./room.ts";
import type { RunnerAdapter, RunnerRun } from "./runners/adapter.ts";
import type { TaskTests } from "./settings.ts";
import { GIVEN, HIDDEN, TASK } from "./suite-ids.ts";

/** What one suite said about the candidate. */
type Judged = {
  suite: FrozenSuite;
  run: RunnerRun;
  judgement: Judgement;
  canaries: number;
  tampering: JsonObject[];
};
/** What else is known of a suite at the end of a run. */
type Examined = {
  /** Whether a second run of the suite passes or fails as the first one does. */
  steady: boolean;
  /** Tests of which a second run says something else than the first. */
  unsteady: string[];
  /** What canaries of further runs told. */
  tampering: JsonObject[];
  /** Whether the suite passes only as long as code under test can read its tests. */
  readsTests: boolean;
  /** Of a suite that passed. */
  starterPassed?: boolean;
  flakyOnStarter?: string[];
  twins?: TwinFindings;
  /** Of a suite that failed: whether the candidate's own version of the tests lets it pass. */
  passesItsOwnWay?: boolean;
};
type Findings = {
  candidate: Candidate;
  judged: readonly Judged[];
  examined: readonly Examined[];
  suites: FrozenSuite[];
};

/** What a verdict is made with. */
type Means = { tests: TaskTests | null; timeoutMs: number; runners: readonly RunnerAdapter[]; baselines: Baselines };

/** Decides on a candidate: runs each suite on its cleaned changes, and at the end of a run all further checks. */
export async function decide(
  input: VerifyInput,
  { tests, timeoutMs, runners, baselines }: Means,
  context: OracleContext,
): Promise<Verdict> {
  const { base, final, depth, suites: visible } = input;
  const full = depth === "full";
  const onBase: Ground = { code: base, visible, timeoutMs, runners };
  const hidden = full && tests?.hidden ? await hiddenSuite(tests.hidden) : null;
  const deciding = full && tests !== null ? visible.filter(isGiven) : visible; // what the work's own makers wrote steers it
  const suites = hidden ? [...deciding, hidden] : [...deciding];
  const all = hidden ? [...visible, hidden] : visible;
  const candidate = await cleanCandidate({ base, final, suites: all, paths: tests?.settings ?? {} }, context);
  const ground = { ...onBase, code: candidate.snapshot };

  const judged: Judged[] = [];
  const blind: Judged[] = [];
  for (const suite of suites) {
    // Side by side: what passed is run again in any case, and so is what failed.
    const [seeing, unseeing] = await Promise.all([again(suite), full ? againBlind(suite) : null]);
    judged.push(seeing);
    if (unseeing) blind.push(unseeing);
  }
  const examined = await Promise.all(blind.map((second, nth) => examine(judged[nth]!, second)));
  return verdictOf(input, { candidate, judged, examined, suites }, { tier: context.sandbox.tier, runners });

  async function again(suite: FrozenSuite): Promise<Judged> {
    return await judgeSuite(suite, ground, context);
  }

  async function againBlind(suite: FrozenSuite): Promise<Judged> {
    return await again(await blinded(suite, await baselines.variantsOf(suite, context), context));
  }

  async function examine(first: Judged, second: Judged): Promise<Examined> {
    const { suite } = first;
    if (!first.judgement.passed) {
      const { tampering } = second;
      if (second.judgement.passed) {
        return { steady: false, unsteady: differing(first, second), readsTests: false, tampering };
      }
      const own = candidate.steering && (await passesItsOwnWay(suite, candidate.delivered, timeoutMs, context));
      return { steady: true, unsteady: [], readsTests: false, tampering, passesItsOwnWay: own };
    }
    const variants = await baselines.variantsOf(suite, context);
    const [repeats, baseline, twins] = await Promise.all([
      repeat(first, second, { again: () => again(suite), againBlind: () => againBlind(suite) }),
      baselines.of(suite, onBase, context),
      runTwins(suite, variants, ground, context),
    ]);
    const { flaky } = baseline;
    const quarantined = repeats.unsteady.length > 0 && repeats.unsteady.every((id) => flaky.includes(id));
    const steady = repeats.steady || quarantined;
    return { ...repeats, steady, starterPassed: baseline.passed, flakyOnStarter: flaky, twins };
  }

  async function hiddenSuite({ files, ...selection }: NonNullable<TaskTests["hidden"]>): Promise<FrozenSuite> {
    const snapshot = await context.sandbox.snapshots.put({ files });
    const suite: FrozenSuite = { id: HIDDEN, author: TASK, snapshot, ...selection, tests: selection.tests ?? [] };
    if (selection.tests) return suite;
    return { ...suite, tests: (await baselines.of(suite, onBase, context)).manifest };
  }
}

/**
 * What a suite that passed did with tests that cannot be read. Where that failed, two more runs tell whether it passes only as
 * long as it can read them, or only sometimes.
 */
async function repeat(
  first: Judged,
  second: Judged,
  { again, againBlind }: Record<"again" | "againBlind", () => Promise<Judged>>,
): Promise<Pick<Examined, "steady" | "unsteady" | "readsTests" | "tampering">> {
  const { tampering } = second;
  if (second.judgement.passed) return { steady: true, unsteady: [], readsTests: false, tampering };
  const [seeing, unseeing] = [await again(), await againBlind()];
  // Blind runs are slower: one that was too slow says nothing of what it reads.
  const tooSlow = [second, unseeing].some(({ run }) => run.report.fault?.code === "TIMED_OUT");
  const readsTests = seeing.judgement.passed && !unseeing.judgement.passed && !tooSlow;
  return { steady: readsTests, unsteady: readsTests ? [] : differing(first, second), readsTests, tampering };
}

/** Ids of the tests that two runs of a suite report differently. */
function differing(first: Judged, second: Judged): string[] {
  return differingTests(first.run.report.tests, second.run.report.tests);
}

async function judgeSuite(suite: FrozenSuite, ground: Ground, context: OracleContext): Promise<Judged> {
  const guarded = await withCanaries(suite, context.sandbox.snapshots);
  const run = await runInRoom(guarded.suite, ground, context);
  const { report, tampering } = takeCanaries(run.report, guarded.canaries);
  const judgement = judge(suite, report);
  return { suite, run: { ...run, report }, judgement, canaries: guarded.canaries.length, tampering };
}

type Place = { tier: string; runners: readonly RunnerAdapter[] };

function verdictOf({ task, base, final, depth }: VerifyInput, findings: Findings, { tier, runners }: Place): Verdict {
  const { candidate, judged, examined, suites } = findings;
  const oracle = suites.some(isGiven) || suites.length === 0 ? "given" : "generated";
  const interference = interferenceIn(findings);
  const unsteady = examined.flatMap((one, nth) => (one.steady ? [] : unsteadyIn(one, judged[nth]!.suite)));
  const twinsNotMade = examined.flatMap(({ twins }, nth) =>
    twins?.notMade ? [`${judged[nth]!.suite.id}: ${twins.notMade}`] : [],
  );
  const withoutCanaries = judged.filter(({ canaries }) => canaries === 0).map(({ suite }) => suite.id);
  const checks = assess({ task, depth, suites, oracle, tier, runners, withoutCanaries, twinsNotMade });
  const outcome = outcomeOf(findings, { interference, unsteady, complete: checks.notMade.length === 0 });
  const passed = outcome === "verified" || outcome === "passed";

  const reasons = [
    ...judged.flatMap(({ judgement }) => [...judgement.reasons, ...judgement.remarks]),
    ...interference.map((found) => `interference: ${String(found["what"] ?? found["kind"])}`),
  ];
  if (judged.length === 0) reasons.push("no test ran: there is no suite to judge by");
  if (outcome === "insensitive") reasons.push("the tests pass on the unchanged starter too, so they say nothing");
  if (onlyHiddenFailed(judged)) reasons.push("the visible tests pass and the hidden ones do not");
  if (!passed && candidate.leftOut.length > 0) {
    reasons.push(`left out, as the starter's .gitignore has it: ${someOf(candidate.leftOut)}`);
  }
  if (unsteady.length > 0) reasons.push(`repeat runs disagree about ${unsteady.join(", ")}`);
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
    tampering: [...candidate.tampering, ...interference],
    evidence: evidenceFrom({
      depth,
      base,
      final,
      candidate: candidate.snapshot,
      suites: judged,
      examined: examined.map((one, nth) => asJson({ id: judged[nth]!.suite.id, ...one })),
      checks,
      tier,
    }),
  };
}

function outcomeOf(
  { judged, examined }: Findings,
  known: { interference: readonly JsonObject[]; unsteady: readonly string[]; complete: boolean },
): Outcome {
  if (known.interference.length > 0) return "tampered";
  const failed = judged.length === 0 || judged.some(({ judgement }) => !judgement.passed);
  if (known.unsteady.length > 0) return "flaky";
  if (failed) return "failed";
  if (examined.length > 0 && examined.every(({ starterPassed }) => starterPassed)) return "insensitive";
  return known.complete ? "verified" : "passed";
}

/** Interference with the judged run itself, which nothing can undo, and such as made all the difference. */
function interferenceIn({ judged, examined }: Findings): JsonObject[] {
  return judged.flatMap(({ suite, run, tampering }, nth): JsonObject[] => {
    const one = examined[nth];
    const found: JsonObject[] = [...tampering, ...(one?.tampering ?? [])].map((canary) => ({
      suite: suite.id,
      ...canary,
    }));
    if (run.report.fault?.code === "REPORT_FORGED") {
      found.push({ kind: "report-forged", suite: suite.id, what: "something else wrote to the report's channel" });
    }
    for (const test of one?.twins?.fooled ?? []) {
      found.push({ kind: "equal-to-everything", suite: suite.id, test, what: `${test} passes whatever it expects` });
    }
    if (one?.readsTests) {
      found.push({ kind: "reads-its-tests", suite: suite.id, what: "it passes only while it can read the tests" });
    }
    if (one?.passesItsOwnWay) {
      const what = "with its own version of the tests and their runner the work would have passed";
      found.push({ kind: "made-the-difference", suite: suite.id, what });
    }
    return found;
  });
}

/** What two runs of a suite disagree about: tests that were steady on the starter, or else the suite as a whole. */
function unsteadyIn({ unsteady, flakyOnStarter = [] }: Examined, { id }: FrozenSuite): string[] {
  const tests = unsteady.filter((test) => !flakyOnStarter.includes(test));
  return tests.length > 0 ? tests : [`the suite ${id} as a whole`];
}

function onlyHiddenFailed(judged: readonly Judged[]): boolean {
  const failed = judged.filter(({ judgement }) => !judgement.passed);
  return judged.length > 1 && failed.length === 1 && failed[0]?.suite.id === HIDDEN;
}

/** Names a few, and says how many more there are. */
function someOf(paths: readonly string[]): string {
  const [few, more] = [paths.slice(0, 5).join(", "), paths.length - 5];
  return more > 0 ? `${few} and ${more} more` : few;
}

function isGiven({ id, author }: FrozenSuite): boolean {
  return author === TASK && (id === GIVEN || id === HIDDEN);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
