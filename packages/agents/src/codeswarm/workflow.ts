import { type Done, type Fault, headAndTail, type RunContext, type StepResult } from "@swarm/core";
import type { WrittenTest } from "../material.ts";
import { type SuiteDraft, suiteOf } from "../suite-draft.ts";
import { variantOf } from "./candidates.ts";
import type { CodeswarmSettings } from "./config.ts";
import { implement } from "./implement.ts";
import { plan } from "./plan.ts";
import { writeTests } from "./write-tests.ts";

/** What a codeswarm run reports: the steps that were tried, and what ended the run early. */
export type CodeswarmReport = {
  /** Number of planned steps; 0 when there is no plan. */
  planned: number;
  steps: { title: string; ok: boolean; attempts: number }[];
  problem: { code: string; message: string } | null;
};

const MOST_PROBLEM = 1_000;
/** Nothing can follow a plan or a suite that did not come: each is asked for once more, from a clean thread. */
const ONCE_MORE = { maxRetries: 1 };

/** Tests first where the task brings none; then the plan, and its steps until one fails. The engine asks the oracle. */
export async function workflow(run: RunContext, settings: CodeswarmSettings): Promise<CodeswarmReport> {
  const { windowTurns } = settings;
  const report: CodeswarmReport = { planned: 0, steps: [], problem: null };
  const written = run.suites.length === 0 ? await freezeTests(run, settings) : { ok: true as const, output: [] };
  if (!written.ok) return { ...report, problem: problemOf(written.fault) };
  const tests = written.output;

  const planned = await run.step(
    plan,
    { maxSteps: settings.maxSteps, maxCalls: settings.calls.planner, windowTurns, tests },
    ONCE_MORE,
  );
  if (!planned.ok) return { ...report, problem: problemOf(planned.fault) };
  const { steps } = planned.output;
  report.planned = steps.length;

  for (const [index, step] of steps.entries()) {
    const { coder, reviewer } = settings.calls;
    const input = { step, number: index + 1, of: steps.length, calls: { coder, reviewer }, windowTurns, tests };
    const { maxRetries, race } = settings;
    const result = race
      ? await run.race(implement, input, race.map(variantOf), { maxRetries })
      : await run.step(implement, input, { maxRetries });
    report.steps.push({ title: step.title, ok: result.ok, attempts: result.attempts });
    if (!result.ok) return { ...report, problem: problemOf(result.fault) };
  }
  return report;
}

/** The tester's suite, frozen before the coder starts. One that is not admitted is written once more, with the reason. */
async function freezeTests(run: RunContext, { calls, windowTurns }: CodeswarmSettings): Promise<Done<WrittenTest[]>> {
  let refused: { draft: SuiteDraft; reason: string } | null = null;
  for (;;) {
    const written: StepResult<SuiteDraft> = await run.step(
      writeTests,
      { maxCalls: calls.tester, windowTurns, refused },
      ONCE_MORE,
    );
    if (!written.ok) return written;
    const admission = await run.freeze(suiteOf(written.output, "tester"));
    if (admission.ok) return { ok: true, output: written.output.files };
    if (refused) return admission;
    refused = { draft: written.output, reason: admission.fault.message };
  }
}

function problemOf({ code, message }: Fault) {
  return { code, message: headAndTail(message, MOST_PROBLEM) };
}
