import type { LogHeader, RunEvent } from "../contracts/event.ts";

/** How many events at the beginning of a log are those of the run that it was forked from. */
export function sharedOf({ parent }: Pick<LogHeader, "parent">): number {
  return parent?.shared ?? 0;
}

/** The events that a run made and paid for itself: all of them, less the past that a fork shares. */
export function ownEvents<E extends RunEvent>({ header, events }: { header: LogHeader; events: readonly E[] }): E[] {
  return events.slice(sharedOf(header));
}

/** Whether a run came to its verdict by itself: one that was cut short has an ambient verdict at most, and can go on. */
export function isDecided(events: readonly RunEvent[]): boolean {
  return events.some(({ key, kind }) => kind === "verdict" && key !== null);
}
