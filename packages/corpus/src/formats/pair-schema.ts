import { z } from "zod";

/** The names by which rows about one failure say where it was. */
export const FAILURE_PLACE = {
  task_id: z.string(),
  run_id: z.string(),
  ts_index: z.int().nonnegative(),
  step_id: z.string(),
  failure_signature: z.string(),
};
export type FailurePlace = {
  task_id: string;
  run_id: string;
  ts_index: number;
  step_id: string;
  failure_signature: string;
};
