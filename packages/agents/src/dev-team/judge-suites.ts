import { headAndTail, type TestReport, type TestResult } from "@swarm/core";
import type { Failure } from "../a2a/message.ts";
import type { QaManifest } from "./qa-suite.ts";

const MOST_MESSAGE = 1_500;
/** Stands for a test where a run broke off that no single one failed. */
export const WHOLE_RUN = "all of the run";

/**
 * What stands against work whose tests came out as `report`: every test of every suite has to have run and passed. One that was
 * skipped, or is missing, stands against it like one that failed. None where the work is right.
 */
export function failuresIn(report: TestReport, suites: readonly QaManifest[]): Failure[] {
  const required = suites.flatMap(({ tests }) => tests);
  const criteriaOf = (id: string) => required.find((test) => isOf(test.id, id))?.criteria ?? [];
  const failures = report.tests
    .filter(({ status }) => status !== "passed" && status !== "xpassed")
    .map((result): Failure => {
      const { id, errorType: error, location } = result;
      return { test: id, criteria: criteriaOf(id), error, location, message: messageOf(result) };
    });
  if (report.fault) {
    // a run that broke off explains by itself what did not run
    const { code, message, location } = report.fault;
    const told = {
      test: WHOLE_RUN,
      criteria: [],
      error: code,
      location,
      message: headAndTail(message, MOST_MESSAGE),
    };
    return failures.length > 0 ? failures : [told];
  }
  const missing = required.filter((test) => !report.tests.some(({ id }) => isOf(test.id, id)));
  return [
    ...failures,
    ...missing.map(({ id, criteria }): Failure => {
      return { test: id, criteria, error: null, location: null, message: "has to pass, and did not run" };
    }),
  ];
}

/** Whether a reported test is the required one, or one of its cases where it has parameters. */
export function isOf(required: string, reported: string): boolean {
  return reported === required || reported.startsWith(`${required}[`) || reported.startsWith(`${required} > `);
}

function messageOf({ status, message }: TestResult): string {
  if (status === "skipped") return "has to pass, and was skipped";
  if (status === "xfailed") return "has to pass, and failed as it was expected to";
  return headAndTail(message ?? status, MOST_MESSAGE);
}
