import { coder, coderFrom } from "@swarm/agents";
import type { TeamEntry } from "./entry.ts";

export const CODER: TeamEntry = {
  name: "coder",
  models: { coder: "anthropic:claude-haiku-5-5" },
  flags: ["max-iterations", "exec-timeout"],
  make: ({ settings, ...makings }) =>
    coder({
      ...makings,
      maxCalls: settings.coderMaxIterations,
      maxTokens: { coder: settings.coderMaxTokens },
      commandTimeoutSeconds: settings.execTimeoutSeconds,
      windowTurns: settings.memoryWindowTurns,
    }),
  from: coderFrom,
};
