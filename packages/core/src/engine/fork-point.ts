import type { RunEvent } from "../contracts/event.ts";
import { InvalidInputError } from "../errors.ts";

/** Throws where a run cannot be forked at its event `at`, and says where it can. */
export function requireForkable(events: readonly RunEvent[], at: number): void {
  const verdict = events.findIndex(({ key, kind }) => kind === "verdict" && key !== null);
  const last = (verdict === -1 ? events.length : verdict) - 1;
  if (last < 0) throw new InvalidInputError("at", "the run has no event yet that a fork could share; start it anew");
  if (Number.isInteger(at) && at >= 0 && at <= last) return;
  const why = verdict === -1 ? "the last one there is" : `the last one before the verdict, which ends the run`;
  const near = typeof at === "number" && at < 0 ? "0, the first one" : `${last}, ${why}`;
  throw new InvalidInputError("at", `has to be an event from 0 to ${last}, and is ${at}; the nearest is ${near}`);
}

/**
 * What a fork at the event `at` shares, with places of its own: what the run's programs caused up to there. What the infrastructure
 * did is the parent's affair. So is a call that had not ended: the fork makes it itself. Only where its effect is outside does its
 * begin stay, so that it is not made twice.
 */
export function pastUpTo(events: readonly RunEvent[], at: number): RunEvent[] {
  const past = events.slice(0, at + 1).filter(({ key }) => key !== null);
  const ended = new Set(
    past.flatMap(({ stepId, payload }) => (payload.type === "end" ? [`${stepId} ${payload.of}`] : [])),
  );
  const kept = past.filter(
    ({ stepId, key, payload }) =>
      payload.type !== "begin" || payload.effect === "outside" || ended.has(`${stepId} ${key}`),
  );
  return kept.map(({ crc32: _, ...event }, tsIndex) => ({ ...event, tsIndex }));
}
