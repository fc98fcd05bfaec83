import type { ModelId, RunEvent, Trajectory } from "@swarm/core";

/** The models that were called, sorted. */
export function modelsOf(events: readonly RunEvent[]): ModelId[] {
  const models = events.flatMap(({ payload }) =>
    payload.type === "begin" && payload.call.op === "model" ? [payload.call.model] : [],
  );
  return [...new Set(models)].sort();
}

/** One name for a team with the models that it called, such as `codeswarm@1:anthropic:claude-sonnet-5-5`. */
export function modelNameOf({ header, events }: Pick<Trajectory, "header" | "events">): string {
  return [`${header.team.name}@${header.team.version}`, modelsOf(events).join("+")].filter(Boolean).join(":");
}
