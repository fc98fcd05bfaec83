import type { Done, RunContext } from "@swarm/core";
import type { Message } from "../a2a/message.ts";
import type { CodeFile } from "../coder/code.ts";
import type { Assignment } from "./assignment.ts";
import { build } from "./build.ts";
import type { DevTeamSettings } from "./config.ts";
import type { Delivery } from "./delivery.ts";
import { fix } from "./fix.ts";
import { lookAgain, lookAtFirst } from "./look-at-work.ts";
import type { Post } from "./post.ts";
import { type QaManifest, type QaSuite, testFileOf } from "./qa-suite.ts";
import { revise } from "./revise.ts";
import type { Criterion, SpecTask } from "./spec.ts";
import type { RecordedCorrection } from "./suite-for-task.ts";

/** A task, and what the tasks before it left. */
export type Work = {
  task: SpecTask;
  criteria: Criterion[];
  /** The code of all tasks so far. */
  code: CodeFile[];
  /** Of earlier tasks. */
  approved: readonly QaManifest[];
};

/** How work on a task ended. `reason` is why it is not approved: that of QA's last message, or the code of a fault. */
export type Closed = {
  status: "approved" | "unresolved";
  reason: string | null;
  /** Test runs of QA; a rerun after a correction is part of its round. */
  rounds: number;
  code: CodeFile[];
  /** Its suite, once that is frozen. */
  suite: QaSuite | null;
  corrections: RecordedCorrection[];
};

/** A fault of the machinery, or an answer that does not fit: made once more from a clean thread. */
const ONCE_MORE = { maxRetries: 1 };

/**
 * One task, until QA approves of it or will not look again: the coder delivers and revises, QA tests, the coder fixes the code that
 * failed. A fault that stays ends the task and not the run.
 */
export async function workOnTask(run: RunContext, post: Post, work: Work, settings: DevTeamSettings): Promise<Closed> {
  const { task, criteria, approved } = work;
  const closed: Closed = {
    status: "unresolved",
    reason: null,
    rounds: 0,
    code: work.code,
    suite: null,
    corrections: [],
  };
  let inbox: Message[] = [];
  for (let round = 1; round <= settings.maxRounds; round++) {
    const assignment = { task, criteria, round, correlationId: `${task.id}/${round}` };
    post.begin({ taskId: task.id, correlationId: assignment.correlationId });

    const { windowTurns } = settings;
    const coding: Assignment = { ...assignment, earlier: closed.code, maxCalls: settings.calls.coder, windowTurns };
    const delivered = closed.suite
      ? await run.step(fix, { ...coding, inbox, tests: [testFileOf(task.id, closed.suite)] }, ONCE_MORE)
      : await deliver(run, coding);
    if (!delivered.ok) return { ...closed, reason: delivered.fault.code };
    closed.code = delivered.output.result.code;
    await post.send("coder", delivered.output.outbox);

    const requests = post.take("qa");
    if (requests.length === 0) return { ...closed, reason: "no_request" };
    const request = { assignment, inbox: requests, approved, last: round === settings.maxRounds };
    const looked = closed.suite ? await lookAgain(run, request, closed.suite) : await lookAtFirst(run, request);
    if (!looked.ok) return { ...closed, reason: looked.fault.code };
    const { outbox, tested, suite, corrections } = looked.output;
    closed.rounds += tested ? 1 : 0;
    closed.suite = suite;
    closed.corrections.push(...corrections);
    await post.send("qa", outbox);

    inbox = post.take("coder");
    const [reply] = inbox;
    if (reply?.intent === "approved") return { ...closed, status: "approved" };
    if (reply?.intent === "final_report") return { ...closed, reason: reply.payload.reason };
    if (reply?.intent !== "fix_instruction") return { ...closed, reason: "no_reply" };
  }
  return { ...closed, reason: "rounds_spent" };
}

/** The first delivery of a task, revised. Where no critique of it came, it is handed over as it is. */
async function deliver(run: RunContext, assignment: Assignment): Promise<Done<Delivery>> {
  const built = await run.step(build, assignment, ONCE_MORE);
  if (!built.ok) return built;
  const revised = await run.step(revise, { ...assignment, earlier: built.output.result.code }, ONCE_MORE);
  return revised.ok || revised.fault.code !== "NO_VALID_OUTPUT" ? revised : built;
}
