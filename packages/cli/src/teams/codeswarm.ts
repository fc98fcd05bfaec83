import { codeswarm, codeswarmFrom } from "@swarm/agents";
import type { TeamEntry } from "./entry.ts";

const SONNET = "anthropic:claude-sonnet-5-5";

export const CODESWARM: TeamEntry = {
  name: "codeswarm",
  models: { planner: SONNET, coder: SONNET, tester: SONNET, reviewer: SONNET },
  flags: ["race", "max-iterations"],
  make: ({ settings, ...makings }) =>
    codeswarm({
      ...makings,
      calls: { coder: settings.coderMaxIterations },
      maxTokens: { coder: settings.coderMaxTokens },
      windowTurns: settings.memoryWindowTurns,
    }),
  from: codeswarmFrom,
};
