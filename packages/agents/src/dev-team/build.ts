import { defineProgram } from "@swarm/core";
import { MessageSchema } from "../a2a/message.ts";
import { runCoder } from "../coder/run-coder.ts";
import { fileList, material } from "../material.ts";
import { AssignmentSchema } from "./assignment.ts";
import { DeliverySchema, requestFor, saidIn } from "./delivery.ts";
import { refusedWork } from "./refused-work.ts";
import { taskText } from "./task-text.ts";

/** The coder builds a task. What it leaves is looked at by the steps after this one, however it ended. */
export const build = defineProgram({
  name: "build",
  input: AssignmentSchema,
  output: DeliverySchema.extend({
    /** What is sent where the build is handed over without a revision. */
    request: MessageSchema,
  }),
  async attempt(context, assignment) {
    const { task, criteria, earlier, maxCalls, windowTurns } = assignment;
    const about = taskText(task, criteria);
    const prompt = [
      material("requirement", context.task.prompt),
      material("task", about, task.id),
      await fileList(context.files),
      `Build the task ${task.id}.`,
    ].join("\n\n");
    const result = await runCoder(context, "coder", prompt, { maxCalls, windowTurns, earlier, about });
    const refused = refusedWork(result);
    return refused
      ? context.fail(refused)
      : context.done({ result, request: requestFor(assignment, result, "none"), outbox: saidIn(result) });
  },
});
