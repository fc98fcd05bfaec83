import type { RunEvent } from "../contracts/event.ts";
import type { Json } from "../contracts/json.ts";

/** What a run's workflow returned; of one that was cut off, what it last noted as its report, or null. */
export function reportIn(events: readonly RunEvent[]): Json {
  const notes = events.flatMap(({ stepId, payload }) =>
    stepId === "run" && payload.type === "note" ? [payload.note] : [],
  );
  return notes.findLast((note) => "report" in note)?.["report"] ?? null;
}
