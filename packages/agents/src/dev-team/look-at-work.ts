import type { Done, FrozenSuite, JsonObject, RunContext } from "@swarm/core";
import type { Message } from "../a2a/message.ts";
import type { QaAssignment } from "./assignment.ts";
import { manifestOf, type QaManifest, type QaSuite } from "./qa-suite.ts";
import { isUnrevised, review } from "./review.ts";
import { audited, draftSuite, type Seen } from "./suite-for-task.ts";

/** A request for review, and the suites that have to pass beside the task's own. */
export type Request = {
  assignment: QaAssignment;
  inbox: Message[];
  approved: readonly QaManifest[];
  /** Whether no fix may follow. */
  last: boolean;
};

/** QA's answer. `suite` is the task's, frozen; null where there is none. */
export type Answer = { outbox: JsonObject[]; suite: QaSuite | null };

/** A fault of the machinery: made once more. */
const ONCE_MORE = { maxRetries: 1 };

/** QA's answer to work whose suite is frozen already. */
export async function lookAgain(run: RunContext, request: Request, suite: QaSuite, seen: Seen): Promise<Done<Answer>> {
  return await answer(run, request, suite, null, seen);
}

/**
 * QA's answer to the first delivery of a task: it writes the suite, runs it, holds what failed against the criteria once, and
 * freezes it.
 */
export async function lookAtFirst(run: RunContext, request: Request, seen: Seen): Promise<Done<Answer>> {
  const { assignment, inbox } = request;
  if (isUnrevised(inbox)) return await answer(run, request, null, null, seen);
  const drafted = await draftSuite(run, assignment, inbox, seen);
  if (!drafted.ok) return drafted;
  if (drafted.output === null) return await answer(run, request, null, null, seen);

  let { suite, draft } = drafted.output;
  let looked = await answer(run, request, suite, draft, seen);
  if (!looked.ok) return looked;
  const corrected = await audited(run, assignment, { suite, failures: looked.output.failures }, seen);
  if (!corrected.ok) return corrected;
  if (corrected.output) {
    ({ suite, draft } = corrected.output);
    looked = await answer(run, request, suite, draft, seen);
    if (!looked.ok) return looked;
  }
  const frozen = await run.freeze(draft);
  return frozen.ok ? looked : frozen;
}

async function answer(
  run: RunContext,
  { assignment, inbox, approved, last }: Request,
  suite: QaSuite | null,
  draft: FrozenSuite | null,
  seen: Seen,
) {
  const suites = suite && [...approved, manifestOf(assignment.task.id, suite)];
  const reviewed = await run.step(review, { ...assignment, inbox, suites, draft, last }, ONCE_MORE);
  if (!reviewed.ok) return reviewed;
  seen.tested ||= reviewed.output.tested;
  return { ok: true as const, output: { ...reviewed.output, suite } };
}
