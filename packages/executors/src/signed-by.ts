import type { EventDraft } from "@swarm/core";

/** Events with who wrote them. That is a measurement: the same run elsewhere has the same events. */
export function signedBy(worker: string, events: readonly EventDraft[]): EventDraft[] {
  return events.map((event) => {
    const measured = { ...event.payload.measured, worker };
    return { ...event, payload: { ...event.payload, measured } };
  });
}
