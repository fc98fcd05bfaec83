import { defineProgram } from "@swarm/core";
import { CritiqueSchema, reflect } from "../coder/reflect.ts";
import { AssignmentSchema } from "./assignment.ts";
import { DeliverySchema, requestFor, saidIn } from "./delivery.ts";
import { refusedWork } from "./refused-work.ts";
import { taskText } from "./task-text.ts";

/** The coder criticises its first delivery of a task and revises it. */
export const revise = defineProgram({
  name: "revise",
  input: AssignmentSchema,
  output: DeliverySchema.extend({ critique: CritiqueSchema }),
  async attempt(context, assignment) {
    const { task, criteria, earlier, maxCalls, windowTurns } = assignment;
    const about = taskText(task, criteria);
    const reflected = await reflect(context, "coder", about, { maxCalls, windowTurns, earlier });
    if (!reflected.ok) return reflected;
    const { critique, outcome, result, unchanged } = reflected.output;
    const refused = refusedWork(result);
    if (refused) return context.fail(refused);
    const said = saidIn(result, ...(unchanged ? [unchanged] : []));
    return context.done({ result, outbox: [requestFor(assignment, result, outcome), ...said], critique });
  },
});
