import type { EventDraft } from "../contracts/event.ts";

/** The branch of each race whose result was taken, by the race's path. A run that is made again follows it. */
export type Winners = ReadonlyMap<string, number>;

/** What the log says of how a race ended: `ok` is whether its winner succeeded; false where no branch did. */
export type RaceEnd = { race: string; winner: number; ok: boolean };

/** Of a race that a crash left undecided, the winner is the first branch whose success is in the log. */
export function winnersOf(events: Iterable<EventDraft>): Winners {
  const decided = new Map<string, number>();
  const ahead = new Map<string, number>();
  for (const { stepId, payload } of events) {
    if (payload.type === "recovered" && payload.how === "winner") {
      const { race, winner } = payload.detail as RaceEnd;
      decided.set(race, winner);
    } else if (payload.type === "result" && payload.result.ok) {
      const [, race, branch] = BRANCH.exec(stepId) ?? [];
      if (race !== undefined && !ahead.has(race)) ahead.set(race, Number(branch));
    }
  }
  return new Map([...ahead, ...decided]);
}

/** The lane of a race's branch, in which the branch's only step has its result. */
const BRANCH = /^(.*\/race-[^/]+)\/(\d+)$/;

/** Whether an event belongs to a lane that lost its race: how far it came before it was aborted is a matter of timing. */
export function isOfLoser({ stepId }: Pick<EventDraft, "stepId">, winners: Winners): boolean {
  return [...winners].some(([race, winner]) => {
    if (!stepId.startsWith(`${race}/`)) return false;
    return stepId.slice(race.length + 1).split("/")[0] !== String(winner);
  });
}
