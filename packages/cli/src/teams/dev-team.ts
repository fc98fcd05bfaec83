import { devTeam, devTeamFrom } from "@swarm/agents";
import type { TeamEntry } from "./entry.ts";

const HAIKU = "anthropic:claude-haiku-5-5";

export const DEV_TEAM: TeamEntry = {
  name: "dev-team",
  models: { pm: "anthropic:claude-sonnet-5-5", coder: HAIKU, qa: HAIKU },
  flags: ["max-iterations", "qa-max-iterations", "exec-timeout"],
  make: ({ settings, ...makings }) =>
    devTeam({
      ...makings,
      maxRounds: settings.qaMaxIterations,
      calls: { coder: settings.coderMaxIterations },
      maxTokens: { coder: settings.coderMaxTokens, qa: settings.qaMaxTokens },
      commandTimeoutSeconds: settings.execTimeoutSeconds,
      windowTurns: settings.memoryWindowTurns,
    }),
  from: devTeamFrom,
};
