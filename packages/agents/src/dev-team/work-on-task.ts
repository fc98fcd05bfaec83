import type { Fault, JsonObject, RunContext } from "@swarm/core";
import type { Message } from "../a2a/message.ts";
import type { CodeFile } from "../coder/code.ts";
import type { WrittenTest } from "../material.ts";
import type { Assignment } from "./assignment.ts";
import { build } from "./build.ts";
import type { DevTeamSettings } from "./config.ts";
import { fix } from "./fix.ts";
import { lookAgain, lookAtFirst } from "./look-at-work.ts";
import type { Post } from "./post.ts";
import { type QaManifest, type QaSuite, testFileOf } from "./qa-suite.ts";
import { revise } from "./revise.ts";
import type { Criterion, SpecTask } from "./spec.ts";
import type { RecordedCorrection, Seen } from "./suite-for-task.ts";

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
      ? await mend(run, { ...coding, inbox, tests: [testFileOf(task.id, closed.suite)] })
      : await deliver(run, coding);
    closed.code = delivered.code;
    if (delivered.fault) post.close();
    await post.send("coder", delivered.outbox);
    if (delivered.fault) return { ...closed, reason: delivered.fault.code };

    const requests = post.take("qa");
    if (requests.length === 0) return { ...closed, reason: "no_request" };
    const request = { assignment, inbox: requests, approved, last: round === settings.maxRounds };
    const seen: Seen = { tested: false, said: [], corrections: closed.corrections };
    const looked = closed.suite
      ? await lookAgain(run, request, closed.suite, seen)
      : await lookAtFirst(run, request, seen);
    closed.rounds += seen.tested ? 1 : 0;
    if (looked.ok) await post.send("qa", looked.output.outbox);
    post.close(); // what QA's model says besides is no answer
    await post.send("qa", seen.said);
    if (!looked.ok) return { ...closed, reason: looked.fault.code };
    closed.suite = looked.output.suite;

    inbox = post.take("coder");
    const [reply] = inbox;
    if (reply?.intent === "approved") return { ...closed, status: "approved" };
    if (reply?.intent === "final_report") return { ...closed, reason: reply.payload.reason };
    if (reply?.intent !== "fix_instruction") return { ...closed, reason: "no_reply" };
  }
  return { ...closed, reason: "rounds_spent" };
}

/** What came of the coder's part in a round: the code as it stands, what the coder sends, and why that is no request. */
type Delivered = { code: CodeFile[]; outbox: JsonObject[]; fault: Fault | null };

/** The first delivery of a task, revised. Where no critique of it came, it is handed over as it is. */
async function deliver(run: RunContext, assignment: Assignment): Promise<Delivered> {
  const built = await run.step(build, assignment, ONCE_MORE);
  if (!built.ok) return { code: assignment.earlier, outbox: [], fault: built.fault };
  const { request, outbox: said } = built.output;
  const { code } = built.output.result;
  const revised = await run.step(revise, { ...assignment, earlier: code }, ONCE_MORE);
  if (revised.ok) return { code: revised.output.result.code, outbox: [...revised.output.outbox, ...said], fault: null };
  if (revised.fault.code !== "NO_VALID_OUTPUT") return { code, outbox: said, fault: revised.fault };
  return { code, outbox: [request, ...said], fault: null };
}

async function mend(
  run: RunContext,
  input: Assignment & { inbox: Message[]; tests: WrittenTest[] },
): Promise<Delivered> {
  const fixed = await run.step(fix, input, ONCE_MORE);
  if (!fixed.ok) return { code: input.earlier, outbox: [], fault: fixed.fault };
  return { code: fixed.output.result.code, outbox: fixed.output.outbox, fault: null };
}
