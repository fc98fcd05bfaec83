import { z } from "zod";
import { type Done, doneSchema } from "./done.ts";
import { type Fault, FaultSchema } from "./fault.ts";
import { type Files, FilesSchema, type Loaded, LoadedSchema, type SnapshotId, SnapshotIdSchema } from "./files.ts";
import type { JsonObject, Schema } from "./json.ts";
import type { Workspace } from "./sandbox.ts";

/** A set of tests. `runner` names an adapter, such as `pytest` or `node:test`. */
export type Suite = { id: string; author: string; runner: string; files: Files };
/**
 * A suite that counts: its files are in a snapshot and can no longer change. `entries` are the files to hand to the runner
 * and `tests` the {@link TestResult} ids that must pass, empty where they could not be known before.
 */
export type FrozenSuite = {
  id: string;
  author: string;
  runner: string;
  snapshot: SnapshotId;
  entries: string[];
  tests: string[];
  /** Wall time of one run of the suite in milliseconds. Default: the test runner's own. */
  timeoutMs?: number;
};
/** Whether a suite was accepted, and if not, why. */
export type Admission = Done<FrozenSuite>;

export type TestStatus = "passed" | "failed" | "skipped" | "error" | "xfailed" | "xpassed";
export type TestResult = {
  /** The runner's own id in full, beginning with the test file's workspace path: the same on every run and machine. */
  id: string;
  file: string | null;
  status: TestStatus;
  message: string | null;
  errorType: string | null;
  /** `path:line` of the innermost frame in the workspace. */
  location: string | null;
  /** The frames in the workspace that led there, the outermost first. Of a test that did not fail there are none. */
  frames?: Frame[];
};
/** A place in the workspace as `path:line`, and the line itself where it could be read. */
export type Frame = { location: string; source: string | null };
/**
 * What a runner reported. `fault` is set when the run as a whole cannot be believed: no test, a crash, a time limit. `loaded` is
 * there where the test runner keeps account of it.
 */
export type TestReport = { tests: TestResult[]; fault: Fault | null; loaded?: Loaded };
/** A report, and the milliseconds that each test took: kept apart, since a measurement differs from run to run. */
export type TestRun = { report: TestReport; durations: Record<string, number> };

/** Runs suites where the code is. */
export interface TestRunner {
  /**
   * The workspace holds the code with the suites' files on top; what a run leaves there is thrown away. Never rejects for
   * what the tests do (failing, hanging and crashing are results), only for a broken sandbox or an aborted signal. `notice` is
   * told what became of the runner's own means, such as a run that had to be made again: no part of the report, and ambient.
   */
  run(
    workspace: Workspace,
    suites: readonly FrozenSuite[],
    options: { signal: AbortSignal; notice?: (note: JsonObject) => void },
  ): Promise<TestRun>;
}

export const SuiteSchema: Schema<Suite> = z.strictObject({
  id: z.string().min(1),
  author: z.string().min(1),
  runner: z.string().min(1),
  files: FilesSchema,
});
export const FrozenSuiteSchema: Schema<FrozenSuite> = z.strictObject({
  id: z.string(),
  author: z.string(),
  runner: z.string(),
  snapshot: SnapshotIdSchema,
  entries: z.array(z.string()),
  tests: z.array(z.string()),
  timeoutMs: z.number().positive().exactOptional(),
});
export const AdmissionSchema: Schema<Admission> = doneSchema(FrozenSuiteSchema);
export const TestReportSchema: Schema<TestReport> = z.strictObject({
  tests: z.array(
    z.strictObject({
      id: z.string(),
      file: z.string().nullable(),
      status: z.enum(["passed", "failed", "skipped", "error", "xfailed", "xpassed"]),
      message: z.string().nullable(),
      errorType: z.string().nullable(),
      location: z.string().nullable(),
      frames: z.array(z.strictObject({ location: z.string(), source: z.string().nullable() })).exactOptional(),
    }),
  ),
  fault: FaultSchema.nullable(),
  loaded: LoadedSchema.exactOptional(),
});
