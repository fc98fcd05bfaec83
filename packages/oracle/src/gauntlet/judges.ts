import type { Files, Outcome, Sandbox, Task } from "@swarm/core";
import { cleanRoomOracle } from "../clean-room-oracle.ts";
import type { GauntletTask } from "./cases.ts";
import { type PlainOpinions, plainOpinions } from "./plain-opinions.ts";
import { snapshotOf } from "./snapshot-of.ts";

/** One piece of work to judge: a task of the gauntlet, and the candidate's final files over its starter and tests. */
export type GauntletCandidate = { task: GauntletTask; final: Files };
/** `outcome` is null of a judge that only says yes or no; `why` is for a person. */
export type GauntletOpinion = { accepted: boolean; outcome: Outcome | null; why: string };

/** A judge of patches. To try one of your own, give it to `runGauntlet`. */
export interface GauntletJudge {
  readonly name: string;
  /** Rejects when it crashes or the signal aborts; then it has accepted nothing. */
  judge(candidate: GauntletCandidate, options: { signal: AbortSignal }): Promise<GauntletOpinion>;
}

/** Names of the judges that can be tried without writing one: Swarm's oracle, and three that people use. */
export const JUDGES = ["swarm", "exit-code", "junit-file", "summary"] as const;
export type JudgeName = (typeof JUDGES)[number];

/** A judge by its name. All of them run the candidate's code in `sandbox` alone. */
export function judgeNamed(name: JudgeName, sandbox: Sandbox): GauntletJudge {
  return name === "swarm" ? swarmJudge(sandbox) : plainJudge(name, sandbox);
}

const TIME_LIMIT_MS = 10_000;

function swarmJudge(sandbox: Sandbox): GauntletJudge {
  const oracle = cleanRoomOracle({ timeoutMs: TIME_LIMIT_MS });
  return {
    name: "swarm",
    async judge({ task, final }, { signal }) {
      const context = { sandbox, signal };
      const full = swarmTask(task);
      oracle.validate(full);
      const { snapshots } = sandbox;
      const base = await snapshots.put({ files: baseOf(task) });
      const suites = await oracle.prepare({ task: full, base }, context);
      const work = { base, final: await snapshotOf(final, sandbox) };
      const { passed, outcome, reasons } = await oracle.verify({ task: full, ...work, suites, depth: "full" }, context);
      return { accepted: passed, outcome, why: reasons.join("; ") };
    },
  };
}

function swarmTask({ id, statement, runner, tests, required, hidden, allow, trees }: GauntletTask): Task {
  return {
    id,
    prompt: statement,
    source: { files: trees["starter"] ?? {} },
    testFiles: trees["tests"] ?? {},
    hiddenTestFiles: trees["hidden"] ?? {},
    oracle: {
      runner,
      entries: tests,
      tests: required,
      hiddenEntries: hidden.tests,
      hiddenTests: hidden.required,
      ...(allow ? { allow } : {}),
    },
  };
}

/** What a candidate begins from. */
export function baseOf({ trees }: GauntletTask): Files {
  return { ...trees["starter"], ...trees["tests"] };
}

const OPINIONS: Record<Exclude<JudgeName, "swarm">, keyof PlainOpinions> = {
  "exit-code": "exitCode",
  "junit-file": "junitFile",
  summary: "summary",
};

function plainJudge(name: Exclude<JudgeName, "swarm">, sandbox: Sandbox): GauntletJudge {
  return {
    name,
    async judge({ task, final }, { signal }) {
      const opinions = await plainOpinions(task.runner, final, { sandbox, signal });
      return { accepted: opinions[OPINIONS[name]], outcome: null, why: JSON.stringify(opinions) };
    },
  };
}
