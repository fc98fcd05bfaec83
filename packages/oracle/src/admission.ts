import { dirname } from "node:path/posix";
import {
  type Admission,
  type FrozenSuite,
  faultOf,
  type OracleContext,
  type SnapshotId,
  type Suite,
  type TestReport,
  workspacePathProblem,
} from "@swarm/core";
import { manifestFrom } from "./baseline.ts";
import { judge } from "./judge.ts";
import { runInRoom } from "./room.ts";
import type { RunnerAdapter } from "./runners/adapter.ts";
import { entriesOf } from "./settings.ts";
import { GIVEN, HIDDEN, TASK } from "./suite-ids.ts";

/**
 * Freezes a suite that was written during the run, or says why it may not count: it needs test files that can be loaded, may
 * write nothing but tests and their helpers, and must not pass on the unchanged starter. Every refusal can be mended.
 */
export async function admitSuite(
  suite: Suite,
  base: SnapshotId,
  { timeoutMs, runners }: { timeoutMs: number; runners: readonly RunnerAdapter[] },
  context: OracleContext,
): Promise<Admission> {
  const adapter = runners.find(({ name }) => name === suite.runner);
  if (!adapter) {
    const known = runners.map(({ name }) => name).join(", ");
    return refused("UNKNOWN_RUNNER", `no test runner ${suite.runner}: use one of ${known}`);
  }
  if (suite.id === GIVEN || suite.id === HIDDEN || suite.author === TASK) {
    return refused("SUITE_RESERVED", `the ids ${GIVEN} and ${HIDDEN} and the author ${TASK} are the task's own`);
  }
  const entries = entriesOf(adapter, suite.files);
  if (entries.length === 0) {
    return refused("NO_TESTS", `suite ${suite.id} has no file that is named as ${suite.runner} names test files`);
  }
  const { snapshots } = context.sandbox;
  const taken = new Set(await snapshots.list(base));
  for (const path of Object.keys(suite.files)) {
    const problem =
      workspacePathProblem(path) ?? (taken.has(path) ? "is a file of the starter" : strayFile(path, entries));
    if (problem) return refused("SUITE_BAD_PATH", `${JSON.stringify(path)} ${problem}`);
  }

  const { id, author, runner } = suite;
  const snapshot = await snapshots.put({ files: suite.files });
  const frozen: FrozenSuite = { id, author, runner, snapshot, entries, tests: [] };
  const ground = { code: base, visible: [], timeoutMs, runners };
  const { report } = await runInRoom(frozen, ground, context);
  if (report.fault?.code === "NO_TESTS") return refused("NO_TESTS", `suite ${id} has no test that runs`);
  const broken = syntaxErrorIn(report, suite);
  if (broken) return refused("SUITE_BROKEN", `suite ${id} cannot be loaded: ${broken}`);
  if (judge(frozen, report).passed) {
    return refused(
      "SUITE_INSENSITIVE",
      `suite ${id} passes on the unchanged starter, so it cannot tell whether work was done`,
    );
  }
  return { ok: true, output: { ...frozen, tests: await manifestFrom(report, { suite: frozen, ground, context }) } };
}

/** A suite lies over the code, so that a file which is no part of the tests would replace the work that they test. */
function strayFile(path: string, entries: readonly string[]): string | null {
  if (entries.includes(path) || /(?:^|\/)conftest\.py$/.test(path)) return null;
  const folders = entries.map((entry) => dirname(entry)).filter((folder) => folder !== ".");
  if (folders.some((folder) => path.startsWith(`${folder}/`))) return null;
  return "is no test file; put helpers into a folder of test files";
}

function syntaxErrorIn(report: TestReport, suite: Suite): string | null {
  if (report.fault?.code !== "COLLECTION_FAILED") return null;
  for (const { errorType, location, message } of report.tests) {
    const isSyntax = errorType === "SyntaxError" || errorType === "IndentationError" || errorType === "TabError";
    // A missing export is a SyntaxError too, and what a starter may well lack.
    const isMissing = message?.includes("does not provide an export named") ?? false;
    const file = location?.replace(/:\d+$/, "") ?? "";
    if (isSyntax && !isMissing && Object.hasOwn(suite.files, file)) return `${errorType} at ${location}: ${message}`;
  }
  return null;
}

function refused(code: string, message: string): Admission {
  return { ok: false, fault: faultOf({ code, message, retryable: true }) };
}
