import { OUTCOMES } from "@swarm/core";
import type { RunFilter } from "@swarm/corpus";
import { oneOf } from "../one-of.ts";

export type FilterOptions = {
  outcome: readonly string[];
  signature: string | undefined;
  team: string | undefined;
  model: string | undefined;
  task: string | undefined;
};

/** What the filter flags say. Throws for an outcome that there is not. */
export function filterFrom({ outcome, signature, team, model, task }: FilterOptions): RunFilter {
  const outcomes = outcome.map((name) => oneOf("--outcome", name, [...OUTCOMES, "unfinished"] as const));
  return {
    ...(outcomes.length === 0 ? {} : { outcomes }),
    ...(signature === undefined ? {} : { signature }),
    ...(team === undefined ? {} : { team }),
    ...(model === undefined ? {} : { model }),
    ...(task === undefined ? {} : { task }),
  };
}
