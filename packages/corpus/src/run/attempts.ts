import { countTests, type Fault, type RunEvent, type SnapshotId, type TestCounts, TestReportSchema } from "@swarm/core";
import { type Conversation, conversationsOf } from "./conversation.ts";

/** One attempt of a step. `at` is always a place in the log. */
export type Attempt = {
  stepId: string;
  program: string;
  /** From 0. */
  attempt: number;
  at: number;
  /** The checkpoint that it starts from. */
  snapshot: SnapshotId;
  /** What the failure before it left as advice. */
  hint: string | null;
  /** Whether the step succeeded by it. */
  ok: boolean;
  failure: { at: number; fault: Fault; signature: string } | null;
  /** The advice that was drawn from its failure. */
  advice: string | null;
  tests: TestCounts[];
  /** What was said until it ended or failed, and what was said about its failure. */
  work: Conversation[];
  diagnosis: Conversation[];
};

/** Every attempt of every step of a run, in the order in which they began. */
export function attemptsOf(events: readonly RunEvent[]): Attempt[] {
  const programs = new Map<string, string>();
  const succeeded = new Map<string, number>();
  const groups = new Map<string, RunEvent[]>();
  for (const event of events) {
    const { payload, stepId, key } = event;
    if (payload.type === "step") programs.set(payload.step.stepId, payload.step.program);
    if (payload.type === "result" && payload.result.ok)
      succeeded.set(payload.result.stepId, payload.result.attempts - 1);
    if (key === null) continue;
    const name = `${stepId} ${key.split(".")[0]}`;
    const group = groups.get(name);
    if (group) group.push(event);
    else groups.set(name, [event]);
  }
  return [...groups.values()].flatMap((group): Attempt[] => {
    const start = group.find(({ payload }) => payload.type === "attempt");
    if (start?.payload.type !== "attempt") return []; // what the engine itself did between the steps
    const { stepId, tsIndex, key, payload } = start;
    const attempt = Number(key?.split(".")[0]);
    const failure = failureIn(group);
    const failedAt = failure?.at ?? Number.POSITIVE_INFINITY;
    const conversations = conversationsOf(group, failedAt);
    return [
      {
        stepId,
        program: programs.get(stepId) ?? "",
        attempt,
        at: tsIndex,
        snapshot: payload.snapshot,
        hint: payload.hint,
        ok: succeeded.get(stepId) === attempt,
        failure,
        advice: adviceIn(group),
        tests: testsIn(group),
        work: conversations.filter(({ calls }) => calls[0]!.at < failedAt),
        diagnosis: conversations.filter(({ calls }) => calls[0]!.at > failedAt),
      },
    ];
  });
}

/** The first fault is the attempt's; one after it is the diagnosis's own. */
function failureIn(group: readonly RunEvent[]): Attempt["failure"] {
  const event = group.find(({ payload }) => payload.type === "fault");
  if (event?.payload.type !== "fault") return null;
  const { fault, signature } = event.payload;
  return { at: event.tsIndex, fault, signature };
}

function adviceIn(group: readonly RunEvent[]): string | null {
  const hint = group.findLast(({ payload }) => payload.type === "recovered" && payload.how === "hint")?.payload;
  return hint?.type === "recovered" && typeof hint.detail === "string" ? hint.detail : null;
}

function testsIn(group: readonly RunEvent[]): TestCounts[] {
  const begun = new Set<string | null>();
  return group.flatMap(({ key, payload }): TestCounts[] => {
    if (payload.type === "begin" && payload.call.op === "test") begun.add(key);
    if (payload.type !== "end" || !begun.has(payload.of)) return [];
    const report = TestReportSchema.safeParse(payload.value).data;
    return report ? [countTests(report)] : [];
  });
}
