import { matchesGlob } from "@swarm/core";
import type { RunFacts, RunOutcome } from "./facts.ts";

/** Which runs are meant. What is left out allows all. */
export type RunFilter = {
  outcomes?: readonly RunOutcome[];
  /** Part of the failure signature. */
  signature?: string;
  /** A team's name, or `name@version`. */
  team?: string;
  /** A glob of a model that was called, such as `anthropic:*`. */
  model?: string;
  /** A glob of the task's id. */
  task?: string;
};

/** The first part of the filter that a run does not fit, or null where it fits. */
export function refusedBy(filter: RunFilter, run: RunFacts): keyof RunFilter | null {
  const { outcomes, signature, team, model, task } = filter;
  if (outcomes && !outcomes.includes(run.outcome)) return "outcomes";
  if (signature !== undefined && !run.signature?.includes(signature)) return "signature";
  if (team !== undefined && team !== run.team && team !== `${run.team}@${run.teamVersion}`) return "team";
  if (model !== undefined && !run.models.some((id) => matchesGlob(id, model))) return "model";
  if (task !== undefined && !matchesGlob(run.taskId, task)) return "task";
  return null;
}
