import { headAndTail, type TestReport, type TestResult } from "@swarm/core";

/**
 * The failing tests of a report for a model to repair from: how many failed, the fault of the run, then each test with its
 * error, place and message. Never longer than `limit` characters: messages are shortened first, then the last tests are
 * only counted. Empty when nothing failed.
 */
export function failureText(report: TestReport, limit: number): string {
  const failing = report.tests.filter(({ status }) => status === "failed" || status === "error");
  if (failing.length === 0 && report.fault === null) return "";
  const head = [`${failing.length} of ${report.tests.length} tests failed.`];
  const { fault } = report;
  // What could not be loaded is told as a failing test below.
  if (fault && !failing.some(({ id }) => id === fault.test)) {
    head.push(`${fault.code}: ${headAndTail(fault.message, Math.floor(limit / 4))}`);
  }

  const share = Math.max(160, Math.floor((limit * 0.7) / Math.max(1, failing.length)));
  let text = head.join("\n");
  for (const [index, test] of failing.entries()) {
    const block = `\n\n${describe(test, share)}`;
    const rest = `\n\n… and ${failing.length - index} more failed.`;
    if (text.length + block.length + rest.length > limit) return `${text}${rest}`.slice(0, limit);
    text += block;
  }
  return text.slice(0, limit);
}

function describe(test: TestResult, limit: number): string {
  const where = [test.errorType, test.location && `at ${test.location}`].filter(Boolean).join(" ");
  const lines = [`${test.status.toUpperCase()} ${test.id}`, where, headAndTail(test.message ?? "", limit)];
  return lines.filter((line) => line !== "").join("\n");
}
