import type { Criterion, SpecTask } from "./spec.ts";

/** A task and its criteria in words, as coder and tester are told them. */
export function taskText({ id, title, instructions }: SpecTask, criteria: readonly Criterion[]): string {
  return [`${id}: ${title}`, instructions, "Criteria:", ...criteria.map(({ id, text }) => `${id}: ${text}`)].join("\n");
}
