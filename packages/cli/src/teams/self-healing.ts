import { selfHealing, selfHealingFrom } from "@swarm/agents";
import type { TeamEntry } from "./entry.ts";

const FLASH = "gemini:gemini-3.7-flash";

export const SELF_HEALING: TeamEntry = {
  name: "self-healing",
  models: {
    architect: "gemini:gemini-pro-latest",
    developer: FLASH,
    debugger: FLASH,
    reviewer: "gemini:gemini-flash-lite-latest",
  },
  flags: ["max-debug-iterations"],
  make: ({ settings, ...makings }) =>
    selfHealing({
      ...makings,
      maxDebugIterations: settings.maxDebugIterations,
      windowTurns: settings.memoryWindowTurns,
    }),
  from: selfHealingFrom,
};
