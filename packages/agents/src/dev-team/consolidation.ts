import type { Schema } from "@swarm/core";
import { z } from "zod";
import { WordsSchema } from "../material.ts";
import type { SpecTask } from "./spec.ts";

/** Tasks that become one: its title, and the ids of the old ones. */
export type Group = { title: string; tasks: string[] };
export const GroupSchema: Schema<Group> = z.strictObject({ title: WordsSchema, tasks: z.array(z.string()).min(1) });

/** How tasks became fewer: who grouped them, and which new one each old one is part of. */
export type Consolidation = { by: "model" | "rule"; mapping: { id: string; from: string[] }[] };

/** What is wrong with groups of `tasks`, by the task that it is about; none where each task is in one group. */
export function groupProblems(groups: readonly Group[], tasks: readonly SpecTask[]): string[] {
  const grouped = groups.flatMap((group) => group.tasks);
  const known = tasks.map(({ id }) => id);
  return [
    ...grouped.filter((id) => !known.includes(id)).map((id) => `${id} is no task`),
    ...known.filter((id) => !grouped.includes(id)).map((id) => `${id} is in no group`),
    ...known
      .filter((id) => grouped.indexOf(id) !== grouped.lastIndexOf(id))
      .map((id) => `${id} is in more than one group`),
  ];
}

/** Neighbours together, in `most` groups whose sizes differ by at most one. */
export function evenGroups(tasks: readonly SpecTask[], most: number): Group[] {
  const count = Math.min(most, tasks.length);
  return Array.from({ length: count }, (_, nth) => {
    const members = tasks.slice(
      Math.floor((nth * tasks.length) / count),
      Math.floor(((nth + 1) * tasks.length) / count),
    );
    return { title: members.map(({ title }) => title).join("; "), tasks: members.map(({ id }) => id) };
  });
}

/** The tasks that groups stand for, numbered anew. One of a group keeps the order in which its members were planned. */
export function consolidated(
  tasks: readonly SpecTask[],
  groups: readonly Group[],
): { tasks: SpecTask[]; mapping: Consolidation["mapping"] } {
  const joined = groups.map((group, index) => {
    const members = tasks.filter(({ id }) => group.tasks.includes(id));
    const instructions = members.map((member) => `${member.title}: ${member.instructions}`).join("\n\n");
    const covers = [...new Set(members.flatMap((member) => member.covers))];
    const from = members.map(({ id }) => id);
    return { task: { id: `T${index + 1}`, title: group.title, instructions, covers }, from };
  });
  return {
    tasks: joined.map(({ task }) => task),
    mapping: joined.map(({ task, from }) => ({ id: task.id, from })),
  };
}
