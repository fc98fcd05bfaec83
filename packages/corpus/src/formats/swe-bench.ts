import type { Schema } from "@swarm/core";
import { z } from "zod";
import { modelNameOf } from "../run/models-of.ts";
import { defineFormat } from "./format.ts";

type Prediction = { instance_id: string; model_name_or_path: string; model_patch: string };

const PredictionSchema: Schema<Prediction> = z.strictObject({
  instance_id: z.string().min(1),
  model_name_or_path: z.string().min(1),
  model_patch: z.string().refine((patch) => patch === "" || patch.endsWith("\n"), "a patch ends with a line feed"),
});

/** Predictions for the SWE-bench harness, a line each. An empty patch is one: the harness counts those apart. */
export const sweBench = defineFormat<Prediction>({
  name: "swe-bench",
  summary: "a prediction of SWE-bench: instance, model and patch",
  schema: PredictionSchema,
  outcomes: null,
  async *rows({ run, patch }, leaveOut) {
    const { text, why } = await patch();
    if (text === null) return leaveOut(why);
    const row = { instance_id: run.taskId, model_name_or_path: modelNameOf(run), model_patch: text };
    yield { row, content: row };
  },
});
