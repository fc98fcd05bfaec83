import { Parser, type Result } from "tap-parser";
import type { Format, ReportedTest } from "./format.ts";

/** TAP 13 and 14. The tests are the test points that have no subtests; one that is to do is an expected failure. */
export const tap: Format = (text) => {
  const tests: ReportedTest[] = [];
  const parser = new Parser();
  collect(parser, tests);
  parser.end(text);
  const { results } = parser;
  if (!results || (tests.length === 0 && !/^\d+\.\.\d+/m.test(text)))
    throw new Error("it has neither a plan nor a test");
  if (results.bailout)
    return { tests, problem: `it bailed out: ${results.bailout === true ? "no reason was given" : results.bailout}` };
  const errors = results.failures.flatMap((failure) => (failure.tapError ? [String(failure.tapError)] : []));
  const failed = tests.some(({ status }) => status === "failed");
  const problem = errors[0] ?? (results.ok || failed ? null : "it says that it failed, and no test of it did");
  return { tests, problem };
};

function collect(parser: Parser, tests: ReportedTest[]): void {
  parser.on("child", (child: Parser) => collect(child, tests));
  parser.on("assert", (result: Result) => {
    if (!result.closingTestPoint) tests.push(readPoint(result, parser));
  });
}

function readPoint(result: Result, parser: Parser): ReportedTest {
  const { ok, skip, todo, name, id, diag, time } = result;
  const reason = [skip, todo].find((one) => typeof one === "string") ?? null;
  const status = skip ? "skipped" : todo ? (ok ? "xpassed" : "xfailed") : ok ? "passed" : "failed";
  return {
    names: [...suitesOf(parser), name || String(id)],
    file: null,
    status,
    message: status === "failed" ? diagnosisOf(diag) : reason,
    errorType: null,
    line: null,
    ms: time ?? 0,
    output: "",
  };
}

function suitesOf({ parent, name }: Parser): string[] {
  return parent ? [...suitesOf(parent), name] : [];
}

function diagnosisOf(diag: unknown): string | null {
  if (diag === null || diag === undefined) return null;
  if (typeof diag !== "object") return String(diag);
  return Object.entries(diag)
    .map(([key, value]) => `${key}: ${typeof value === "string" ? value.trimEnd() : JSON.stringify(value)}`)
    .join("\n");
}
