import { z } from "zod";
import { CodeFileSchema } from "../coder/code.ts";
import { CriterionSchema, SpecTaskSchema } from "./spec.ts";

/** Which task a step is about, and which round of which exchange. */
const work = {
  task: SpecTaskSchema,
  criteria: z.array(CriterionSchema),
  round: z.int().positive(),
  correlationId: z.string(),
};

/** What each step of the coder is given. */
export const AssignmentSchema = z.strictObject({
  ...work,
  /** The code of this task's earlier steps and of earlier tasks. */
  earlier: z.array(CodeFileSchema),
  maxCalls: z.int().positive(),
  windowTurns: z.int().positive(),
});
export type Assignment = z.infer<typeof AssignmentSchema>;

/** What each step of QA is given. */
export const QaAssignmentSchema = z.strictObject(work);
export type QaAssignment = z.infer<typeof QaAssignmentSchema>;
