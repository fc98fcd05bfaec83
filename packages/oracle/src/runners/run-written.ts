import type { ExecResult, Workspace } from "@swarm/core";
import type { RunnerOptions } from "./adapter.ts";
import { type ChannelRecords, type RecordOf, type RunnerRecord, readRecords } from "./records.ts";
import { runProcess } from "./run-process.ts";
import { WRITTEN_BOOTSTRAP, type WrittenSpec } from "./written-bootstrap.ts";

/** What a program wrote, and how it ended. */
export type Written = {
  output: string;
  error: string;
  /** The report file; null where there is none. */
  report: string | null;
  /** Null when it did not come to an end of its own. */
  exited: RecordOf<"exited"> | null;
};

/** What reading the results of a program gives: tests, and what broke outside of them. */
export type Finding = Extract<RunnerRecord, { kind: "start" | "test" | "broken" | "collected" | "crash" }>;

export type WrittenStart = WrittenSpec & {
  env?: Record<string, string>;
  /** Folder in the workspace to start in. Default: its root. */
  cwd?: string;
  /** The longest that `before` may take, in milliseconds. Default {@link START_MS}. */
  startMs?: number;
};

/** One run of a program and what was found in what it wrote. */
export type WrittenRun = {
  result: ExecResult;
  begun: RunnerRecord[];
  findings: Finding[];
  exited: RecordOf<"exited"> | null;
  foreign: number;
};

/** Runs a program and reads its results with `read`. */
export async function runWritten(
  workspace: Workspace,
  { env, startMs, cwd, ...spec }: WrittenStart,
  options: RunnerOptions,
  read: (written: Written) => Finding[],
): Promise<WrittenRun> {
  const { result, nonce } = await runProcess(
    workspace,
    {
      bootstrap: WRITTEN_BOOTSTRAP,
      command: (source) => ["node", "-e", source],
      input: (nonce) => JSON.stringify({ nonce, ...spec }),
      ...(env && { env }),
      ...(startMs !== undefined && { startMs }),
      ...(cwd !== undefined && { cwd }),
    },
    options,
  );
  const { records, foreign } = readRecords(result.channel ?? "", nonce);
  const texts = (to: string) => records.flatMap((one) => (one.kind === "written" && one.to === to ? [one.text] : []));
  const exited = records.find((one) => one.kind === "exited") ?? null;
  const report = texts("report")[0] ?? null;
  return {
    result,
    begun: records.filter(({ kind }) => kind === "ready" || kind === "unavailable"),
    findings: read({ output: texts("output").join(""), error: texts("error").join(""), report, exited }),
    exited,
    foreign,
  };
}

/** Runs of one or more programs as those of one runner: it ended as the first did that did not end well, else as the last. */
export function recordsOf(runs: readonly WrittenRun[]): {
  result: ExecResult;
  records: ChannelRecords;
} {
  const told = runs.find(({ result }) => result.code !== 0) ?? runs.at(-1);
  if (!told) throw new TypeError("a runner ran nothing");
  const findings = runs.flatMap((run) => run.findings);
  const foreign = runs.reduce((total, run) => total + run.foreign, 0);
  return {
    result: told.result,
    records: { records: [...told.begun, ...findings, ...endOf(told.exited)], foreign },
  };
}

function endOf(exited: RecordOf<"exited"> | null): RunnerRecord[] {
  if (exited === null) return [];
  const { code, signal, version, ms } = exited;
  if (code !== null) return [{ kind: "end", exit: code, ok: code === 0, version, ms }];
  return [{ kind: "crash", message: `ended by ${signal}`, errorType: null, location: null, frames: [] }];
}
