import { CallError, type Fault, headAndTail, type RunContext } from "@swarm/core";
import type { CodeFile } from "../coder/code.ts";
import { checkAgain } from "./check-again.ts";
import type { DevTeamSettings } from "./config.ts";
import type { Consolidation } from "./consolidation.ts";
import { Post } from "./post.ts";
import { manifestOf, type QaManifest } from "./qa-suite.ts";
import type { Criterion } from "./spec.ts";
import { specify } from "./specify.ts";
import type { RecordedCorrection } from "./suite-for-task.ts";
import { unbuilt } from "./unbuilt.ts";
import { workOnTask } from "./work-on-task.ts";

/** One task at the end of a run. */
export type TaskReport = {
  id: string;
  title: string;
  covers: string[];
  /** `regressed`: it was approved, and its suite does not pass on the final workspace. `open`: the run ended before it was closed. */
  status: "approved" | "unresolved" | "regressed" | "open";
  /** Why it is not approved, such as `rounds_spent`, `no_revision`, or the code of a fault. */
  reason: string | null;
  /** Test runs of QA. */
  rounds: number;
};

/** What a devTeam run reports. */
export type DevTeamReport = {
  /**
   * `completed`: every task is approved and stayed so. `partial`: some are not. `failed`: there was no specification to work from.
   * `aborted`: the run was cut off.
   */
  status: "completed" | "partial" | "failed" | "aborted";
  criteria: Criterion[];
  tasks: TaskReport[];
  /** How tasks became fewer; null where they were few enough. */
  consolidation: Consolidation | null;
  /** Tests that QA wrote wrong and replaced before their suite froze. */
  corrections: RecordedCorrection[];
  /** Messages between the agents that were discarded. */
  rejectedMessages: number;
  /** What ended the run before its work was done. */
  problem: { code: string; message: string } | null;
};

const MOST_PROBLEM = 1_000;

/**
 * The specification, then its tasks in order on one workspace. A task that fails stops no other. At the end every approved suite
 * runs once more on what is there.
 */
export async function workflow(run: RunContext, settings: DevTeamSettings): Promise<DevTeamReport> {
  const report: DevTeamReport = {
    status: "aborted",
    criteria: [],
    tasks: [],
    consolidation: null,
    corrections: [],
    rejectedMessages: 0,
    problem: null,
  };
  await run.note("team", { report }); // stands where the run is cut off
  const post = await Post.open(run);
  const specified = await specify(run, { maxCalls: settings.calls.pm, windowTurns: settings.windowTurns });
  if (!specified.ok) return { ...report, status: "failed", problem: problemOf(specified.fault) };
  const { criteria, tasks, consolidation } = specified.output;
  Object.assign(report, { criteria, consolidation });
  report.tasks = tasks.map(({ id, title, covers }) => ({ id, title, covers, status: "open", reason: null, rounds: 0 }));

  let code: CodeFile[] = [];
  const approved: QaManifest[] = [];
  for (const [index, task] of tasks.entries()) {
    const own = criteria.filter(({ id }) => task.covers.includes(id));
    const closed = await workOnTask(run, post, { task, criteria: own, code, approved }, settings);
    const { status, reason, rounds, suite } = closed;
    code = closed.code;
    if (suite && status === "approved") approved.push(manifestOf(task.id, suite));
    Object.assign(report.tasks[index]!, { status, reason, rounds });
    report.corrections.push(...closed.corrections);
    report.rejectedMessages = post.rejected;
    await run.note("qa", { closed: { task: task.id, status, reason, rounds, snapshot: run.snapshot } });
    await run.note("team", { report });
  }

  const problem = await checkApproved(run, report.tasks, approved);
  for (const { id } of report.tasks) {
    if (run.suites.some((suite) => suite.id === id)) continue;
    const stand = await run.freeze(unbuilt(id));
    if (!stand.ok) throw new CallError(stand.fault); // without a suite of this task, the others would speak for it
  }
  const isDone = problem === null && report.tasks.every(({ status }) => status === "approved");
  return { ...report, status: isDone ? "completed" : "partial", problem };
}

/** Every approved suite on the final workspace; the task of a broken one is regressed. Gives what kept them from running. */
async function checkApproved(
  run: RunContext,
  tasks: readonly TaskReport[],
  suites: QaManifest[],
): Promise<DevTeamReport["problem"]> {
  const checked = await run.step(checkAgain, { suites }, { maxRetries: 1 });
  if (!checked.ok) return problemOf(checked.fault);
  for (const { id, failures } of checked.output.broken) {
    const task = tasks.find((task) => task.id === id);
    if (task) Object.assign(task, { status: "regressed", reason: failures[0]?.test ?? null });
  }
  if (checked.output.broken.length > 0) await run.note("qa", { regression: { broken: checked.output.broken } });
  return null;
}

function problemOf({ code, message }: Fault) {
  return { code, message: headAndTail(message, MOST_PROBLEM) };
}
