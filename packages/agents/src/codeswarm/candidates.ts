import { type Effort, InvalidInputError, type ModelId, type Variant } from "@swarm/core";

/** What one candidate of a race has that the coder has not by itself. */
export type Candidate = {
  /** What it is told before its first attempt. */
  hint?: string;
  /** One of the coder's models. */
  model?: ModelId;
  effort?: Effort;
  temperature?: number;
};

/** Ways to go about a step that lead to different places, so that candidates of one model do not all do the same. */
const APPROACHES = [
  "Before you change anything, note every case that the task and its tests name, the odd ones first; then check your change against each of them.",
  "Look for the smallest change that solves the whole problem. Rather replace or remove code than add conditions to it.",
  "Do not trust the code that is there. What is wrong in more than one way, write anew from what the task says.",
  "Begin with what the tests expect, and go backwards from there to the first place where the code does something else.",
];

export const MOST_CANDIDATES = APPROACHES.length + 1;

/** The candidates of a race; null where there is none. Throws an {@link InvalidInputError} for what is none. */
export function candidatesOf(race: number | readonly Candidate[], models: readonly ModelId[]): Candidate[] | null {
  if (race === 1) return null;
  if (typeof race === "number") return counted(race);
  for (const [index, { model }] of race.entries()) {
    if (model === undefined || models.includes(model)) continue;
    const known = `the coder's models are ${models.join(", ")}`;
    throw new InvalidInputError(`race[${index}].model`, `${model} is none of the coder's: ${known}`);
  }
  return [...race];
}

function counted(count: number): Candidate[] {
  if (Number.isInteger(count) && count > 1 && count <= MOST_CANDIDATES)
    return [{}, ...APPROACHES.slice(0, count - 1).map((hint) => ({ hint }))];
  throw new InvalidInputError("race", `has to be a whole number from 1 to ${MOST_CANDIDATES}, and is ${count}`);
}

/** A candidate for the engine, by its place in the race. */
export function variantOf({ hint, ...coder }: Candidate, seed: number): Variant {
  return {
    seed,
    ...(hint === undefined ? {} : { hint }),
    ...(Object.keys(coder).length === 0 ? {} : { roles: { coder } }),
  };
}
