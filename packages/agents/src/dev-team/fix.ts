import { defineProgram } from "@swarm/core";
import { z } from "zod";
import { MessageSchema } from "../a2a/message.ts";
import { runCoder } from "../coder/run-coder.ts";
import { fileList, material, WrittenTestSchema } from "../material.ts";
import { AssignmentSchema } from "./assignment.ts";
import { DeliverySchema, requestFor, saidIn } from "./delivery.ts";
import { refusedWork } from "./refused-work.ts";
import { taskText } from "./task-text.ts";

/** The coder mends the code that failed, by what QA tells it; once more where that changed no file. */
export const fix = defineProgram({
  name: "fix",
  input: AssignmentSchema.extend({
    inbox: z.array(MessageSchema),
    /** The suite that failed. */
    tests: z.array(WrittenTestSchema),
  }),
  output: DeliverySchema,
  async attempt(context, { inbox, tests, ...assignment }) {
    const { task, criteria, earlier, maxCalls, windowTurns } = assignment;
    const about = taskText(task, criteria);
    const told = inbox.flatMap((message) => (message.intent === "fix_instruction" ? [message.payload] : []));
    const prompt = [
      material("requirement", context.task.prompt),
      material("task", about, task.id),
      await fileList(context.files),
      ...tests.map(({ path, content }) => material("file", content, path)),
      ...told.map(({ instruction }) => material("failure", instruction)),
      "Your code stands in the workspace, and its tests failed as above. Find the cause, mend it for every input, and end your work.",
    ].join("\n\n");
    const work = (more: string) => runCoder(context, "coder", prompt + more, { maxCalls, windowTurns, earlier, about });
    const isChanged = async () => (await context.files.changes()).length > 0;
    const first = await work("");
    const isIdle = first.end !== "refused" && !(await isChanged());
    const result = isIdle
      ? await work("\n\nA first try changed no file, so that the same tests fail. Change what is wrong.")
      : first;
    const refused = refusedWork(result);
    if (refused) return context.fail(refused);
    const request = requestFor(assignment, result, (await isChanged()) ? "revised" : "no_revision");
    return context.done({ result, outbox: [request, ...saidIn(result, ...(isIdle ? [first] : []))] });
  },
});
