import type { Format } from "./format.ts";
import { sft } from "./sft.ts";
import { sweBench } from "./swe-bench.ts";
import { trajectories } from "./trajectories.ts";

/** Every format, by the name that it is asked for. */
export const FORMATS: readonly Format[] = [trajectories, sft, sweBench];
