import type { Outcome, Verdict } from "@swarm/core";
import { type Line, line, oneLine, type Tone } from "./line.ts";

const OUTCOMES: Record<Outcome, string> = {
  verified: "VERIFIED: every check was made and held",
  passed: "PASSED: the tests pass; some check could not be made",
  failed: "NOT PASSED (failed): the tests do not pass",
  tampered: "NOT PASSED (tampered): the tests were interfered with",
  insensitive: "NOT PASSED (insensitive): the tests pass without the work too, so they say nothing",
  flaky: "NOT PASSED (flaky): repeated test runs disagree",
  "infra-error": "NOT PASSED (infra-error): the machinery failed, which says nothing about the work",
  budget: "NOT PASSED (budget): a limit was reached before the work was done",
  timeout: "NOT PASSED (timeout): the time was up before the work was done",
  aborted: "NOT PASSED (aborted): the run was ended before the work was done",
};

/** The outcome in words, and whose tests decided. */
export function headline({ outcome, passed, oracle, evidence }: Verdict): Line {
  const judged = Object.keys(evidence).length > 0;
  const tests = oracle === "given" ? givenTests(evidence) : "tests written during the run";
  return line(OUTCOMES[outcome] + (judged ? `; judged by ${tests}` : ""), passed ? "green" : "red");
}

/** Whether the team saw the tests of the task that decided, by the ids that the oracle gives their suites. */
function givenTests({ suites }: Verdict["evidence"]): string {
  const ids = Array.isArray(suites) ? suites.map((suite) => (suite as { id?: unknown }).id) : [];
  if (!ids.includes("hidden")) return "the task's tests";
  return ids.length > 1 ? "the task's tests, hidden ones too" : "the task's hidden tests";
}

/** What failed or could not be checked, and each interference. */
export function unresolvedIn({ reasons, tampering }: Verdict): Line[] {
  return [
    ...reasons.map((reason) => item(reason)),
    ...tampering.map((found) => item(`interference: ${JSON.stringify(found)}`, "yellow")),
  ];
}

export function item(text: string, tone?: Tone): Line {
  return line(`  - ${oneLine(text, 300)}`, tone);
}
