import { messageOf } from "@swarm/core";
import type { Format, FormatReport, ReportedTest } from "../formats/format.ts";
import type { RunnerAdapter } from "./adapter.ts";
import { reportOfRecords } from "./report-of.ts";
import { type Finding, recordsOf, runWritten, type Written, type WrittenRun } from "./run-written.ts";

export type CommandRunner = {
  /** The `runner` of the suites that it runs. */
  name: string;
  /**
   * The program and its arguments, as the sandbox finds them. With `{entry}` in an argument it runs once for each test file,
   * which stands there; otherwise once for all. `{report}` is the path of a file that the command is to write its report into;
   * without it the report is what it prints.
   */
  argv: readonly string[];
  /** `junit` for JUnit XML, `tap` for TAP 13 and 14, `ctrf` for the Common Test Report Format. */
  format: "junit" | "tap" | "ctrf";
  /** A command whose first line of output is the runner's version. Default: none is told. */
  version?: readonly string[];
  env?: Record<string, string>;
  /** Which files are test files. Default: none, so that a suite has to name its own. */
  isTestFile?(path: string): boolean;
};

/** Their parsers are loaded when one is needed: they would double the time in which this package is imported. */
const FORMATS: Record<CommandRunner["format"], () => Promise<Format>> = {
  junit: async () => (await import("../formats/junit.ts")).junit,
  tap: async () => (await import("../formats/tap.ts")).tap,
  ctrf: async () => (await import("../formats/ctrf.ts")).ctrf,
};

/**
 * A runner that is any command which reports in a standard format. A test's id is `path > suite > name`; a second test of one
 * name has ` [2]` at its end. The path is the test file that the command ran for, else the one that the report names if it is
 * one of the suite's, else the suite's first. Code under test can write what it likes into such a report.
 */
export function commandRunner({ name, argv, format, version, env = {}, isTestFile }: CommandRunner): RunnerAdapter {
  const perEntry = argv.some((one) => one.includes("{entry}"));

  return {
    name,
    evidence: "written",

    isTestFile(path) {
      return isTestFile?.(path) ?? false;
    },

    isTestOf(entry, id) {
      return id.startsWith(`${entry} > `);
    },

    async run(workspace, entries, options) {
      const wanted = (finding: Finding) =>
        !options.only || finding.kind !== "test" || options.only.includes(finding.id);
      const formatted = await FORMATS[format]();
      const runs: WrittenRun[] = [];
      let left = options.timeoutMs;
      for (const files of perEntry ? entries.map((entry) => [entry]) : [entries]) {
        const start = {
          argv: argv.map((one) => one.replaceAll("{entry}", () => files[0] ?? "")),
          env,
          ...(version && { version }),
        };
        const run = await runWritten(workspace, start, { ...options, timeoutMs: Math.max(1, left) }, (written) =>
          read(written, files, formatted).filter(wanted),
        );
        runs.push(run);
        left -= run.result.durationMs;
      }
      const { result, records } = recordsOf(runs);
      const { testsMs: _, ...report } = reportOfRecords(result, records);
      return { ...report, command: [...argv], env };
    },
  };

  function read({ output, report, exited }: Written, files: readonly string[], formatted: Format): Finding[] {
    const text = argv.some((one) => one.includes("{report}")) ? report : output;
    // It was stopped: how it ended says why.
    if (!text && exited === null) return [];
    const parsed = parse(text ?? "", formatted);
    const ids = new Map<string, number>();
    return [
      ...parsed.tests.map((test) => findingOf(test, files, ids)),
      ...(parsed.problem === null ? [] : [{ ...NOTHING, kind: "crash" as const, message: parsed.problem }]),
    ];
  }

  function parse(text: string, formatted: Format): FormatReport {
    if (text.trim() === "") return { tests: [], problem: `${name} wrote no report` };
    try {
      const { tests, problem } = formatted(text);
      return { tests, problem: problem && `the report of ${name} is not whole: ${problem}` };
    } catch (error) {
      return { tests: [], problem: `the report of ${name} cannot be read as ${format}: ${messageOf(error)}` };
    }
  }
}

const NOTHING = { errorType: null, location: null, frames: [] };

function findingOf(test: ReportedTest, files: readonly string[], ids: Map<string, number>): Finding {
  const { names, status, message, errorType, line, ms, output } = test;
  const named = test.file?.replace(/^(?:\/workspace\/|\.\/)/, "") ?? null;
  const file = files.find((one) => one === named) ?? files[0] ?? "";
  const id = [file, ...names].join(" > ");
  const times = (ids.get(id) ?? 0) + 1;
  ids.set(id, times);
  return {
    kind: "test",
    id: times === 1 ? id : `${id} [${times}]`,
    file,
    status,
    message,
    errorType,
    location: named !== null && line !== null ? `${named}:${line}` : null,
    frames: [],
    ms,
    output,
  };
}
