import type { TestStatus } from "@swarm/core";

/** One test as a report in a standard format tells of it. */
export type ReportedTest = {
  /** The suites around it, from the outside, and its own name. */
  names: string[];
  /** The file that the report names; null when it names none. */
  file: string | null;
  status: TestStatus;
  message: string | null;
  errorType: string | null;
  line: number | null;
  ms: number;
  output: string;
};

/** A report, and what is wrong with it as a whole: it holds less than it counts, or says itself that it broke off. */
export type FormatReport = { tests: ReportedTest[]; problem: string | null };

/** Reads a report. Throws an error that says what is wrong for a text that is not of the format. */
export type Format = (text: string) => FormatReport;
