import type { EventDraft } from "../contracts/event.ts";

/** The recorded winner of each race, by the race's path. A run that is made again follows it. */
export type Winners = ReadonlyMap<string, number>;

export function winnersOf(events: Iterable<EventDraft>): Winners {
  const winners = new Map<string, number>();
  for (const { payload } of events) {
    if (payload.type !== "recovered" || payload.how !== "winner") continue;
    const { race, winner } = payload.detail as { race: string; winner: number };
    winners.set(race, winner);
  }
  return winners;
}

/** Whether an event belongs to a lane that lost its race: how far it came before it was aborted is a matter of timing. */
export function isOfLoser({ stepId }: Pick<EventDraft, "stepId">, winners: Winners): boolean {
  return [...winners].some(([race, winner]) => {
    if (!stepId.startsWith(`${race}/`)) return false;
    return stepId.slice(race.length + 1).split("/")[0] !== String(winner);
  });
}
