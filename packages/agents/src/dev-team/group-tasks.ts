import { defineProgram, faultOf } from "@swarm/core";
import { z } from "zod";
import { material } from "../material.ts";
import { askFor } from "../structured.ts";
import { GroupSchema, groupProblems } from "./consolidation.ts";
import { MOST_TASKS, SpecTaskSchema } from "./spec.ts";

const GroupsSchema = z.strictObject({ groups: z.array(GroupSchema).min(1).max(MOST_TASKS) });

/** The PM groups tasks that are too many. */
export const groupTasks = defineProgram({
  name: "group-tasks",
  input: z.strictObject({
    tasks: z.array(SpecTaskSchema),
    maxCalls: z.int().positive(),
    windowTurns: z.int().positive(),
  }),
  output: GroupsSchema,
  async attempt(context, { tasks, maxCalls, windowTurns }) {
    const prompt = [
      material("requirement", context.task.prompt),
      material("tasks", JSON.stringify(tasks)),
      `These are ${tasks.length} tasks, and at most ${MOST_TASKS} are allowed. Group them: tasks that belong together become one, each task is in one group, and the groups stand in the order in which they are built. Answer in the form {"groups":[{"title":"Short title","tasks":["T1","T2"]}]}`,
    ].join("\n\n");
    const answer = await askFor(context.role("pm"), GroupsSchema, prompt, {
      maxCalls,
      windowTurns,
      about: context.task.prompt,
      cacheable: true,
    });
    if (!answer.ok) return context.fail(answer.fault);
    const problems = groupProblems(answer.output.groups, tasks);
    if (problems.length === 0) return context.done(answer.output);
    return context.fail(faultOf({ code: "INVALID_GROUPS", message: problems.join("; ") }));
  },
});
