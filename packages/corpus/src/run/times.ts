import type { RunEvent, Trajectory } from "@swarm/core";

/** When an event was written, in ISO 8601; null where the log does not say. */
export function timeOf(event: RunEvent | undefined): string | null {
  const at = event?.payload.measured?.["at"];
  return typeof at === "number" ? new Date(at).toISOString() : null;
}

export function startedAt({ header }: Pick<Trajectory, "header">): string | null {
  const at = header.measured["startedAt"];
  return typeof at === "string" ? at : null;
}

export function endedAt({ events }: Pick<Trajectory, "events">): string | null {
  return timeOf(events.at(-1));
}
