import type { FrozenSuite, Task, VerifyInput } from "@swarm/core";

import type { RunnerAdapter } from "./runners/adapter.ts";

/** What decides whether a check was made. */
export type CheckFacts = {
  task: Task;
  depth: VerifyInput["depth"];
  /** The suites that decided, hidden ones included. */
  suites: readonly FrozenSuite[];
  oracle: "given" | "generated";
  tier: string;
  runners: readonly RunnerAdapter[];
  /** Suites whose test files no canary could be put into. */
  withoutCanaries: readonly string[];
  /** Suites of which no twin could be run, each with the reason. */
  twinsNotMade: readonly string[];
};

/** One check of the oracle. */
export type Check = {
  name: string;
  /** Whether it is made depends on the machine alone, and says nothing of the work. */
  ofPlace?: true;
  /** Whether there is something to check. Default: always. */
  applies?(facts: CheckFacts): boolean;
  /** Why the check was not made; null when it was made. A check that was made and did not hold is a verdict of its own. */
  notMade(facts: CheckFacts): string | null;
};

const AT_THE_END = "only made at the end of a run";
const atTheEnd = ({ depth }: CheckFacts) => (depth === "full" ? null : AT_THE_END);

/** Every check that a verified run has to have passed. */
export const CHECKS: readonly Check[] = [
  { name: "clean-room", notMade: () => null },
  { name: "protected-files", notMade: () => null },
  {
    name: "report-channel",
    notMade({ suites, runners }) {
      const written = runners.filter(({ evidence }) => evidence === "written").map(({ name }) => name);
      const used = [...new Set(suites.map(({ runner }) => runner))].filter((name) => written.includes(name));
      return used.length === 0
        ? null
        : `${used.join(", ")}: the code under test can write what its results are read from`;
    },
  },
  {
    name: "manifest",
    notMade({ suites }) {
      const without = suites.filter(({ tests }) => tests.length === 0).map(({ id }) => id);
      return without.length === 0
        ? null
        : `no manifest: the tests that must exist in ${without.join(", ")} were not known before`;
    },
  },
  {
    name: "given-tests",
    notMade: ({ oracle }) => (oracle === "given" ? null : "the deciding tests were written during the run"),
  },
  {
    name: "hidden-tests",
    applies: ({ task }) => task.hiddenTestFiles !== undefined,
    notMade: atTheEnd,
  },
  { name: "sensitivity", notMade: atTheEnd },
  { name: "repeat-run", notMade: atTheEnd },
  {
    name: "network-isolation",
    ofPlace: true,
    notMade: ({ tier }) => (tier === "bubblewrap" ? null : `the sandbox (${tier}) does not cut off the network`),
  },
  {
    name: "canaries",
    notMade: ({ withoutCanaries }) =>
      withoutCanaries.length === 0 ? null : `the runner of ${withoutCanaries.join(", ")} takes none`,
  },
  {
    name: "twin",
    notMade: (facts) => atTheEnd(facts) ?? (facts.twinsNotMade.length === 0 ? null : facts.twinsNotMade.join("; ")),
  },
  // A workspace is made from the files of one revision; neither its folder nor a snapshot ever holds a `.git`.
  { name: "history", applies: ({ task }) => "repository" in task.source, notMade: () => null },
];

export type Assessment = { made: string[]; notMade: { check: string; why: string }[] };

/** The same without the checks that depend on the machine. */
export function withoutPlace({ made, notMade }: Assessment): Assessment {
  const ofPlace = CHECKS.filter((check) => check.ofPlace).map(({ name }) => name);
  return {
    made: made.filter((name) => !ofPlace.includes(name)),
    notMade: notMade.filter(({ check }) => !ofPlace.includes(check)),
  };
}

/** Which checks were made, and which were not, with the reason. A check without an object is in neither. */
export function assess(facts: CheckFacts): Assessment {
  const made: string[] = [];
  const notMade: { check: string; why: string }[] = [];
  for (const check of CHECKS) {
    if (check.applies && !check.applies(facts)) continue;
    const why = check.notMade(facts);
    if (why === null) made.push(check.name);
    else notMade.push({ check: check.name, why });
  }
  return { made, notMade };
}
