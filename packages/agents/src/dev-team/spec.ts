import type { Schema } from "@swarm/core";
import { z } from "zod";
import { WordsSchema } from "../material.ts";

/** What has to be true of the work, such as AC1. */
export type Criterion = { id: string; text: string };
/** A part of the work, such as T1: what to build, and the ids of the criteria that it makes true. */
export type SpecTask = { id: string; title: string; instructions: string; covers: string[] };
export type Spec = { criteria: Criterion[]; tasks: SpecTask[] };

/** Work that is planned in more tasks is consolidated. */
export const MOST_TASKS = 8;

const id = (letters: string) =>
  z.string().regex(new RegExp(`^${letters}[1-9]\\d{0,2}$`), `has to be ${letters}1, ${letters}2, …`);

export const CriterionSchema: Schema<Criterion> = z.strictObject({ id: id("AC"), text: WordsSchema });
export const SpecTaskSchema: Schema<SpecTask> = z.strictObject({
  id: id("T"),
  title: WordsSchema,
  instructions: WordsSchema,
  covers: z.array(z.string()),
});
export const SpecSchema: Schema<Spec> = z.strictObject({
  criteria: z.array(CriterionSchema).min(1),
  tasks: z.array(SpecTaskSchema).min(1),
});

/** What makes a specification contradict itself, each by the criterion or task that it is about; none where it holds together. */
export function specProblems({ criteria, tasks }: Spec): string[] {
  const known = new Set(criteria.map((criterion) => criterion.id));
  const covered = new Set(tasks.flatMap((task) => task.covers));
  return [
    ...twice(criteria).map((id) => `two criteria have the id ${id}`),
    ...twice(tasks).map((id) => `two tasks have the id ${id}`),
    ...tasks.filter(({ covers }) => covers.length === 0).map(({ id }) => `task ${id} covers no criterion`),
    ...tasks.flatMap(({ id, covers }) =>
      covers
        .filter((criterion) => !known.has(criterion))
        .map(
          (criterion) => `task ${id} covers ${criterion}, which is no criterion; there are ${[...known].join(", ")}`,
        ),
    ),
    ...[...known].filter((criterion) => !covered.has(criterion)).map((criterion) => `no task covers ${criterion}`),
  ];
}

function twice(items: readonly { id: string }[]): string[] {
  return [...new Set(items.map(({ id }) => id).filter((id, index, ids) => ids.indexOf(id) !== index))];
}
