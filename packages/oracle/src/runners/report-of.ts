import {
  type ExecResult,
  type Fault,
  faultOf,
  headAndTail,
  SandboxError,
  type TestReport,
  type TestResult,
} from "@swarm/core";
import type { Discovery, RunnerProcess } from "./adapter.ts";
import { type ChannelRecords, type RecordOf, type RunnerRecord, readRecords } from "./records.ts";
import { stableText } from "./stable-text.ts";

/** Exit code by which shells and sandboxes say that there is no such program. */
const COMMAND_NOT_FOUND = 127;

/** What one process of a runner came to. */
export type ProcessRun = {
  report: TestReport;
  durations: Record<string, number>;
  outputs: Record<string, string>;
  version: string | null;
  interpreter: string | null;
  process: RunnerProcess;
  /** Milliseconds that the tests took, by the bootstrap's own clock; of a run that did not finish, all of it. */
  testsMs: number;
};

/**
 * The report of one runner process, from its records and from how it ended. Whatever does not fit together is a fault;
 * the tests that finished are kept in any case. Throws a {@link SandboxError} when the runner did not start.
 */
export function reportOf(result: ExecResult, nonce: string): ProcessRun {
  return reportOfRecords(result, readRecords(result.channel ?? "", nonce));
}

/** The same from records that were made of what a runner wrote. */
export function reportOfRecords(result: ExecResult, { records, foreign }: ChannelRecords): ProcessRun {
  assertStarted(result, records);
  const end = one(records, "end");
  const tests = all(records, "test").map((test) => testOf(test, test.status));
  const broken = all(records, "broken").map((record) => testOf(record, "error"));
  const { code, signal, timedOut, output } = result;
  return {
    report: {
      tests: [...tests, ...broken],
      fault: faultIn(result, records, foreign),
      ...(result.loaded && { loaded: result.loaded }),
    },
    durations: Object.fromEntries(all(records, "test").map(({ id, ms }) => [id, ms])),
    outputs: Object.fromEntries(
      all(records, "test").flatMap(({ id, output }) => (output === "" ? [] : [[id, stableText(output)]])),
    ),
    version: end?.version ?? null,
    interpreter: one(records, "ready")?.interpreter ?? null,
    process: { code, signal, timedOut, output },
    testsMs: end?.ms ?? result.durationMs,
  };
}

/** The ids that a runner found without running anything. Throws as {@link reportOf} does. */
export function discoveryOf(result: ExecResult, { records, foreign }: ChannelRecords): Discovery {
  assertStarted(result, records);
  return {
    ids: all(records, "collected").flatMap(({ ids }) => ids),
    fault: howItEnded(result, records, foreign) ?? brokenFile(records),
  };
}

function testOf(record: RecordOf<"test"> | RecordOf<"broken">, status: TestResult["status"]): TestResult {
  const { id, file, message, errorType, location } = record;
  const frames = record.frames.map((frame) => ({ location: frame, source: null }));
  return {
    id,
    file,
    status,
    message: message === null ? null : stableText(message),
    errorType,
    location,
    ...(frames.length > 0 && { frames }),
  };
}

/** Whether a warm runner left the run to a cold one, before it touched the workspace. */
export function wasShadowed({ channel }: ExecResult, nonce: string): boolean {
  return one(readRecords(channel ?? "", nonce).records, "shadowed") !== null;
}

/** A runner that never came to load the tests says nothing about them. */
function assertStarted({ channel, code, output }: ExecResult, records: readonly RunnerRecord[]): void {
  const unavailable = one(records, "unavailable");
  if (unavailable) throw new SandboxError(unavailable.message);
  const overflow = channel === null && code !== COMMAND_NOT_FOUND;
  if (one(records, "ready") || one(records, "crash") || overflow) return;
  throw new SandboxError(`the test runner did not start: ${headAndTail(output.trim(), 500)}`);
}

/** Why the run as a whole cannot be believed, the gravest reason first. */
function faultIn(result: ExecResult, records: readonly RunnerRecord[], foreign: number): Fault | null {
  return (
    howItEnded(result, records, foreign) ?? disagreement(result, records) ?? brokenFile(records) ?? nothingRan(records)
  );
}

function howItEnded(result: ExecResult, records: readonly RunnerRecord[], foreign: number): Fault | null {
  if (result.channel === null) return fault("REPORT_LOST", "the runner's report was over its size limit");
  if (foreign > 0) {
    return fault("REPORT_FORGED", "something other than the test runner wrote to the channel of its report");
  }
  const test = runningTest(records);
  const during = test === null ? "" : ` while ${test} was running`;
  if (result.timedOut) return fault("TIMED_OUT", `the tests did not end within their time limit${during}`, { test });
  if (result.signal !== null) {
    return fault("RUNNER_CRASHED", `the test runner crashed (${result.signal})${during}`, { test });
  }
  const crash = one(records, "crash");
  if (crash) {
    const { errorType, location } = crash;
    const why = stableText(crash.message ?? "no reason was given");
    return fault("RUNNER_CRASHED", `the test runner stopped early${during}: ${why}`, { errorType, location, test });
  }
  if (one(records, "end")) return null;
  const early = `the process ended with code ${result.code} before the test runner had finished${during}`;
  return fault("RUNNER_CRASHED", early, { test });
}

/** Report, ids and exit code have to agree. */
function disagreement({ code }: ExecResult, records: readonly RunnerRecord[]): Fault | null {
  const reported = new Set(all(records, "test").map(({ id }) => id));
  const collected = all(records, "collected").flatMap(({ ids }) => ids);
  const missing = collected.filter((id) => !reported.has(id));
  // What broke outside of the tests explains which of them are missing.
  if (missing[0] !== undefined && one(records, "broken") === null) {
    const message = `${missing.length} of ${collected.length} collected tests were not run, the first is ${missing[0]}`;
    return fault("INCOMPLETE", message, { test: missing[0] });
  }
  for (const end of all(records, "end")) {
    if (end.exit !== code) {
      return fault("EXIT_MISMATCH", `the test runner ended with code ${end.exit}, but its process with ${code}`);
    }
    const bad = all(records, "test").some(({ status }) => status === "failed" || status === "error");
    if (end.ok === (bad || one(records, "broken") !== null)) {
      const told = bad ? "some test failed" : "no test failed";
      return fault("EXIT_MISMATCH", `${told}, but the test runner ended with code ${end.exit}`);
    }
  }
  return null;
}

function brokenFile(records: readonly RunnerRecord[]): Fault | null {
  const broken = one(records, "broken");
  if (!broken) return null;
  const { code, id, message, errorType, location } = broken;
  const what = `${id} ${BROKEN[code]}`;
  const why = message === null ? "" : `: ${stableText(message)}`;
  return fault(code, `${what}${why}`, { errorType, location, test: id });
}

const BROKEN: Record<RecordOf<"broken">["code"], string> = {
  COLLECTION_FAILED: "could not be loaded",
  BUILD_FAILED: "could not be built",
  ERROR_OUTSIDE_TESTS: "failed outside of its tests",
};

function nothingRan(records: readonly RunnerRecord[]): Fault | null {
  if (all(records, "test").some(({ status }) => status !== "skipped")) return null;
  return fault("NO_TESTS", "no test ran");
}

/** The test that began last, unless another one has ended since. */
function runningTest(records: readonly RunnerRecord[]): string | null {
  const last = records.findLast(({ kind }) => kind === "start" || kind === "test");
  return last?.kind === "start" ? last.id : null;
}

function all<K extends RunnerRecord["kind"]>(records: readonly RunnerRecord[], kind: K): RecordOf<K>[] {
  return records.filter((record): record is RecordOf<K> => record.kind === kind);
}

function one<K extends RunnerRecord["kind"]>(records: readonly RunnerRecord[], kind: K): RecordOf<K> | null {
  return all(records, kind)[0] ?? null;
}

function fault(code: string, message: string, known: Partial<Fault> = {}): Fault {
  return faultOf({ code, message, retryable: true, ...known });
}
