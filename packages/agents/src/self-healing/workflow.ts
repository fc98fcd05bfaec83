import { type Done, type Fault, headAndTail, type RunContext, type StepResult, type Variant } from "@swarm/core";
import type { WrittenTest } from "../material.ts";
import { suiteOf } from "../suite-draft.ts";
import { close } from "./close.ts";
import type { SelfHealingConfig } from "./config.ts";
import { type Design, design } from "./design.ts";
import { develop } from "./develop.ts";
import { repair } from "./repair.ts";
import { runTests } from "./run-tests.ts";

/** What a self-healing run reports. */
export type SelfHealingReport = {
  /** How its tests ended: `passed`, `capped` when they still failed after the last repair, `none` when they never ran to an end. */
  tests: "passed" | "capped" | "none";
  /** What each repair found, in order. */
  diagnoses: string[];
  /** The reviewer's words, under 150; begins with a warning where the cap was hit. */
  report: string;
  /** What ended the run before its work was done. */
  problem: { code: string; message: string } | null;
};

type Plan = { specification: string; tests: WrittenTest[] };

const MOST_PROBLEM = 1_000;
/** Nothing can follow a specification or an implementation that did not come: each is asked for once more. */
const ONCE_MORE = { maxRetries: 1 };

/** Specification and tests, the implementation, then tests and repairs until they pass or the repairs are spent. */
export async function workflow(run: RunContext, config: SelfHealingConfig): Promise<SelfHealingReport> {
  const { calls, maxDebugIterations, windowTurns } = config;
  const none: SelfHealingReport = { tests: "none", diagnoses: [], report: "", problem: null };
  const planned = await planAndFreeze(run, { maxCalls: calls.architect, windowTurns });
  if (!planned.ok) return { ...none, problem: problemOf(planned.fault) };
  const { specification, tests } = planned.output;
  const developed = await run.step(
    develop,
    { specification, tests, maxCalls: calls.developer, windowTurns },
    ONCE_MORE,
  );
  if (!developed.ok) return { ...none, problem: problemOf(developed.fault) };

  const diagnoses: string[] = [];
  let problem: SelfHealingReport["problem"] = null;
  let tested = await run.step(runTests, {});
  // no change of the code mends what the machinery broke
  while (!tested.ok && !tested.fault.infrastructure && problem === null && diagnoses.length < maxDebugIterations) {
    const limits = { maxCalls: calls.debugger, windowTurns };
    const input = { specification, tests, failure: tested.fault.message, diagnoses, ...limits };
    const repaired = await run.step(repair, input, { ...ONCE_MORE, ...escalated(config, diagnoses.length) });
    if (repaired.ok) {
      diagnoses.push(repaired.output.diagnosis);
      tested = await run.step(runTests, {});
    } else problem = problemOf(repaired.fault);
  }

  const broken = !tested.ok && tested.fault.infrastructure ? tested.fault : null;
  if (broken) problem = problemOf(broken);
  const ending = endingOf(tested.ok ? "passed" : broken ? "broken" : problem ? "given up" : "capped", diagnoses.length);
  const failure = tested.ok ? null : tested.fault.message;
  const closed = await run.step(close, {
    specification,
    ending,
    diagnoses,
    failure,
    maxCalls: calls.reviewer,
    windowTurns,
  });
  const report = closed.ok ? closed.output.report : ending; // the work is done, whether or not somebody sums it up
  return { tests: tested.ok ? "passed" : broken ? "none" : "capped", diagnoses, report, problem };
}

/** The architect's plan, its suite frozen before the developer starts. One that is not admitted is written once more. */
async function planAndFreeze(run: RunContext, limits: { maxCalls: number; windowTurns: number }): Promise<Done<Plan>> {
  let refused: { design: Design & { suite: NonNullable<Design["suite"]> }; reason: string } | null = null;
  for (;;) {
    const designed: StepResult<Design> = await run.step(design, { ...limits, refused }, ONCE_MORE);
    if (!designed.ok) return designed;
    const { specification, suite }: Design = designed.output;
    if (suite === null) return { ok: true, output: { specification, tests: [] } };
    const admission = await run.freeze(suiteOf(suite, "architect"));
    if (admission.ok) return { ok: true, output: { specification, tests: suite.files } };
    if (refused) return admission;
    refused = { design: { specification, suite }, reason: admission.fault.message };
  }
}

/** From the second repair on: the first one did not help. */
function escalated({ escalation }: SelfHealingConfig, repairs: number): { variant?: Variant } {
  return escalation === null || repairs === 0 ? {} : { variant: { roles: { debugger: escalation } } };
}

function endingOf(how: "passed" | "broken" | "given up" | "capped", repairs: number): string {
  const after = repairs === 0 ? "without a repair" : repairs === 1 ? "after 1 repair" : `after ${repairs} repairs`;
  if (how === "passed") return `The tests pass ${after}.`;
  if (how === "broken") return `Warning: the tests could not be run ${after}.`;
  return `Warning: the tests still fail ${after}, and ${how === "capped" ? "no more are allowed" : "the next one was given up"}.`;
}

function problemOf({ code, message }: Fault) {
  return { code, message: headAndTail(message, MOST_PROBLEM) };
}
