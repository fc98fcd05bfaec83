import { type Fault, faultOf } from "@swarm/core";
import type { CoderResult } from "../coder/run-coder.ts";

/** The fault of work that the model refused to do; null for any other. */
export function refusedWork({ end, reason }: CoderResult): Fault | null {
  return end === "refused" ? faultOf({ code: "MODEL_REFUSED", message: reason }) : null;
}
