import { atif } from "./atif/atif.ts";
import type { Format } from "./format.ts";
import { miniSweAgent } from "./mini-swe-agent.ts";
import { openhands } from "./openhands/openhands.ts";
import { preference } from "./preference.ts";
import { recovery } from "./recovery.ts";
import { sft } from "./sft.ts";
import { sweAgent } from "./swe-agent.ts";
import { sweBench } from "./swe-bench.ts";
import { trajectories } from "./trajectories.ts";

/** Every format, by the name that it is asked for. */
export const FORMATS: readonly Format[] = [
  ...[trajectories, sft, preference, recovery],
  ...[atif, miniSweAgent, sweAgent, openhands, sweBench],
];
