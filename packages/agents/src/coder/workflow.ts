import { type Fault, type FrozenSuite, headAndTail, type RunContext } from "@swarm/core";
import type { CodeFile } from "./code.ts";
import type { CoderSettings } from "./config.ts";
import { ownSuites } from "./own-suites.ts";
import type { CoderResult } from "./run-coder.ts";
import { work } from "./work.ts";

/** What a coder's run reports. */
export type CoderReport = {
  /** `completed` when it ended its work by `finish`, `partial` when not, `failed` when there was none. */
  status: "completed" | "partial" | "failed";
  /** How its work ended, and how many model calls it took. */
  end: CoderResult["end"] | null;
  calls: number;
  /** What it says that it built, and did step by step: its word. */
  summary: string;
  steps: { title: string }[];
  entryPoint: string | null;
  /** Its code, and what of it a run that ended well loaded as it is now: by what the machine saw. */
  files: CodeFile[];
  /** Its own tests that were frozen to decide; empty where the task brought its tests. */
  tests: string[];
  problem: { code: string; message: string } | null;
};

const MOST_PROBLEM = 1_000;

/**
 * The coder works, once. Where the task brings no tests, those that it wrote decide, if it ended its work and the oracle admits them. The
 * engine asks the oracle.
 */
export async function workflow(
  run: RunContext,
  { maxCalls, windowTurns }: Pick<CoderSettings, "maxCalls" | "windowTurns">,
): Promise<CoderReport> {
  const given = run.suites.length > 0;
  const worked = await run.step(work, { maxCalls, windowTurns });
  if (!worked.ok) return { ...NOTHING, problem: problemOf(worked.fault) };
  const { end, reason, calls, code, finish, text } = worked.output;
  const report: CoderReport = {
    ...NOTHING,
    status: finish ? "completed" : "partial",
    end,
    calls,
    summary: finish?.explanation ?? text,
    steps: (finish?.plan ?? "").split("\n").flatMap((line) => (line.trim() === "" ? [] : [{ title: line.trim() }])),
    entryPoint: finish?.entryPoint ?? null,
    files: code,
    problem: finish ? null : { code: "NOT_FINISHED", message: reason },
  };
  return given || !finish ? report : { ...report, ...(await freezeOwnTests(run, code)) };
}

const NOTHING: CoderReport = {
  status: "failed",
  end: null,
  calls: 0,
  summary: "",
  steps: [],
  entryPoint: null,
  files: [],
  tests: [],
  problem: null,
};

/** All of them or none: where the oracle refuses those of one language, those of another do not speak for the work. */
async function freezeOwnTests(
  run: RunContext,
  code: readonly CodeFile[],
): Promise<Pick<CoderReport, "tests" | "problem">> {
  const changes = await run.files.changes();
  const added = code.filter(({ path }) => changes.some((change) => change.path === path && change.kind === "added"));
  const paths = added.map(({ path }) => path);
  const suites: FrozenSuite[] = [];
  for (const suite of await ownSuites(paths, (path) => run.files.read(path))) {
    const admission = await run.admit(suite);
    if (!admission.ok) return { tests: [], problem: problemOf(admission.fault) };
    suites.push(admission.output);
  }
  for (const suite of suites) await run.freeze(suite);
  const tests = suites.flatMap(({ entries }) => entries);
  const none = { code: "NO_TESTS", message: "the coder wrote no tests of pytest or node:test" };
  return { tests, problem: tests.length === 0 ? none : null };
}

function problemOf({ code, message }: Fault) {
  return { code, message: headAndTail(message, MOST_PROBLEM) };
}
